/** What the tasks wrote. The source searches; the page holds a window of lines that grows in both directions. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LogText } from './log-text.tsx';
import { LogWindow } from './log-window.ts';
import { plainText } from './plain-text.ts';
import type { Readable } from './readable.ts';
import { Rows } from './rows.tsx';
import type { LogLine, RunSource } from './run-source.ts';
import { ScrollBox } from './scroll-box.tsx';
import { useValue } from './use-value.ts';
import type { ViewProps } from './view-props.ts';
import { localTime } from './words.ts';

const LONGEST_SEARCH = 500;
const ROW = 20;
/** So close to an end of the list, more is loaded. */
const NEAR = 10 * ROW;

export interface LogsViewProps extends ViewProps {
  /** Whether only the chosen step's lines are shown. */
  isOfStep: boolean;
  onOfStep(isOfStep: boolean): void;
}

export function LogsView({ source, selection, step, isOfStep, onOfStep }: LogsViewProps) {
  const [q, setQ] = useState('');
  const log = useLog(source, isOfStep ? step : undefined, q, selection.line);
  const lines = useValue(log.lines);
  const state = useValue(log.state);
  const isApart = useValue(log.isApart);
  const line = useValue(selection.line);
  const open = lines.find(({ cursor }) => cursor === line);
  const text = async (from: number, to: number) =>
    lines
      .slice(from, to)
      .map((line) => line.text)
      .join('\n');
  return (
    <div class="rv-logs">
      <search class="rv-filter">
        <input
          type="search"
          maxLength={LONGEST_SEARCH}
          placeholder="Search the log"
          aria-label="Search the log"
          value={q}
          onInput={(event) => setQ(event.currentTarget.value)}
        />
        {step !== undefined && (
          <label>
            <input
              type="checkbox"
              checked={isOfStep}
              onChange={(event) => onOfStep(event.currentTarget.checked)}
            />
            only {plainText(step)}
          </label>
        )}
      </search>
      {lines.length === 0 ? (
        <p class="rv-none">{state === 'loaded' && q !== '' ? 'No line matches.' : EMPTY[state]}</p>
      ) : (
        <Rows
          label="Log"
          kind="rv-lines"
          count={lines.length}
          height={ROW}
          current={open ? lines.indexOf(open) : -1}
          onCurrent={(row) => {
            selection.line.value = lines[row]?.cursor;
          }}
          row={(i) => <LineCells line={lines[i]!} />}
          attributes={(i) => ({ 'data-stream': lines[i]!.stream })}
          copy={text}
          isFollowing={!isApart}
          onScroll={(top, height) => {
            if (top < NEAR) void log.before();
            if (top + height > lines.length * ROW - NEAR) void log.after();
          }}
        />
      )}
      {open && (
        <ScrollBox kind="rv-line" label="The chosen line, whole">
          <LogText text={open.text} isWhole />
        </ScrollBox>
      )}
    </div>
  );
}

function LineCells({ line }: { line: LogLine }) {
  return (
    <>
      <span class="rv-at" title={line.at}>
        {localTime(line.at).slice(11) + line.at.slice(19, 23)}
      </span>
      <span class="rv-where">{plainText(line.step)}</span>
      <span class="rv-text">
        <LogText text={line.text} />
      </span>
    </>
  );
}

/** Only the first window begins at the chosen line: a search shows its last matches. */
function useLog(source: RunSource, step: string | undefined, q: string, line: Readable<string | undefined>) {
  const isFirst = useRef(true);
  const log = useMemo(() => new LogWindow(source, { step, q: q || undefined }), [source, step, q]);
  useEffect(() => {
    const begin = isFirst.current ? line.peek() : undefined;
    isFirst.current = false;
    return log.open(begin);
  }, [log]);
  return log;
}

const EMPTY = {
  loading: 'Loading…',
  failed: 'The log could not be loaded. The page tries again.',
  loaded: 'Nothing was written.',
};
