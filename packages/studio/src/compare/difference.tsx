/** How two values differ, line by line. */
import { plainText } from '@woof/run-view';
import type { ValueDiff } from './compare-runs.ts';
import { folded } from './line-diff.ts';

const SIGNS = { same: ' ', removed: '-', added: '+' };
const MOST_LINES = 500;

export function Difference({ title, diff }: { title: string; diff: ValueDiff }) {
  if (diff.isEqual) return <span class="soft">{title}: same</span>;
  if (diff.lines === undefined) return <span>{title}: different, too large to compare by line</span>;
  const lines = folded(diff.lines);
  return (
    <details class="diff">
      <summary>{title}: different</summary>
      <pre>
        {lines.slice(0, MOST_LINES).map((line, at) =>
          line.kind === 'left out' ? (
            <div key={at} class="soft">
              … {line.count} equal lines
            </div>
          ) : (
            <div key={at} data-diff={line.kind}>
              {SIGNS[line.kind]} <bdi>{plainText(line.text)}</bdi>
            </div>
          ),
        )}
        {lines.length > MOST_LINES && <div class="soft">… {lines.length - MOST_LINES} more lines</div>}
      </pre>
    </details>
  );
}
