/** A value as text. For a stored value, the beginning is shown, and the rest is loaded on request. */
import { useEffect, useState } from 'preact/hooks';
import { plainLines } from './plain-text.ts';
import type { RunSource, ValueText } from './run-source.ts';
import { ScrollBox } from './scroll-box.tsx';

/** In bytes: a page that shows more is slow. */
const LONGEST = 5_000_000;
const BEGINNING = 100_000;

export function ValueBlock({ title, value, source }: { title: string; value: ValueText; source: RunSource }) {
  const [loaded, setLoaded] = useState<Record<string, Loaded>>({});
  const load = async (key: string, most = LONGEST) => {
    const said: Loaded = await source.value(key, most).then(
      (text) => ({ text: plainLines(text.slice(0, most)), most }),
      (error) => ({ failure: plainLines(`This value could not be loaded: ${String(error)}`) }),
    );
    setLoaded((others) => ({ ...others, [key]: said }));
  };
  const [whole] = value.isStored ? value.stored : [];
  useEffect(() => {
    if (whole) void load(whole.key, BEGINNING);
  }, [whole?.key]);
  return (
    <>
      <h3>{title}</h3>
      {whole === undefined && (
        <ScrollBox kind="rv-value" label={title}>
          {plainLines(value.text)}
        </ScrollBox>
      )}
      {value.cut > 0 && <p class="rv-none">{value.cut} more characters are not shown.</p>}
      {value.stored.map(({ key, size }) => (
        <Stored
          key={key}
          size={size}
          loaded={loaded[key] ?? (whole ? { text: 'Loading…' } : {})}
          title={title}
          label={whole ? title : `${title}, stored value`}
          href={source.download?.(key)}
          onLoad={() => void load(key)}
        />
      ))}
    </>
  );
}

/** The result of the last attempt. */
interface Loaded {
  text?: string;
  /** How many bytes were asked for. */
  most?: number;
  failure?: string;
}

interface StoredProps {
  size: number;
  loaded: Loaded;
  title: string;
  /** The label of its text. */
  label: string;
  href: string | undefined;
  onLoad(): void;
}

/** Too large to show, but can be downloaded if there is a server. */
function Stored({ size, loaded: { text, most = 0, failure }, title, label, href, onLoad }: StoredProps) {
  const isShort = size <= LONGEST || href === undefined;
  return (
    <>
      {text !== undefined && (
        <ScrollBox kind="rv-value" label={label}>
          {text}
        </ScrollBox>
      )}
      {failure !== undefined && (
        <p class="rv-bad" role="alert">
          {failure}
        </p>
      )}
      {most > 0 && most < size && <p class="rv-none">Only the first {sizeText(most)} are shown.</p>}
      {most < size && isShort && (
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
