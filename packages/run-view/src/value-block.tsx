/** A value as text. Stored ones are loaded when asked for. */
import { useSignal } from '@preact/signals';
import { plainLines } from './plain-text.ts';
import type { RunSource, ValueText } from './run-source.ts';
import { ScrollBox } from './scroll-box.tsx';

/** In bytes: a page that shows more is slow. */
const LONGEST = 5_000_000;

export function ValueBlock({ title, value, source }: { title: string; value: ValueText; source: RunSource }) {
  const loaded = useSignal<Record<string, Loaded>>({});
  const load = async (key: string) => {
    const said: Loaded = await source.value(key).then(
      (text) => ({ text: plainLines(text.slice(0, LONGEST)) }),
      (error) => ({ failure: plainLines(`This value could not be loaded: ${String(error)}`) }),
    );
    loaded.value = { ...loaded.peek(), [key]: said };
  };
  return (
    <>
      <h3>{title}</h3>
      <ScrollBox kind="rv-value" label={title}>
        {plainLines(value.text)}
      </ScrollBox>
      {value.cut > 0 && <p class="rv-none">{value.cut} more characters are not shown.</p>}
      {value.stored.map(({ key, size }) => (
        <Stored
          key={key}
          size={size}
          loaded={loaded.value[key]}
          title={title}
          href={source.download?.(key)}
          onLoad={() => void load(key)}
        />
      ))}
    </>
  );
}

/** What came of the last try. */
interface Loaded {
  text?: string;
  failure?: string;
}

interface StoredProps {
  size: number;
  /** Undefined: nobody asked for it. */
  loaded: Loaded | undefined;
  title: string;
  href: string | undefined;
  onLoad(): void;
}

/** Too large to show: to download, if there is a server. */
function Stored({ size, loaded = {}, title, href, onLoad }: StoredProps) {
  const { text, failure } = loaded;
  const isShort = size <= LONGEST || href === undefined;
  return (
    <>
      {text !== undefined && (
        <ScrollBox kind="rv-value" label={`${title}, stored value`}>
          {text}
        </ScrollBox>
      )}
      {failure !== undefined && (
        <p class="rv-bad" role="alert">
          {failure}
        </p>
      )}
      {text === undefined && isShort && (
        <button type="button" class="rv-load" onClick={onLoad}>
          {failure === undefined ? 'Load full value' : 'Try again'} ({sizeText(size)})
        </button>
      )}
      {href !== undefined && (
        <a class="rv-load" href={href} download="value.json">
          Download {title.toLowerCase()} ({sizeText(size)})
        </a>
      )}
    </>
  );
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
