/** The iterations of a step's loop, a page at a time. */
import { useState } from 'preact/hooks';
import { plainText } from './plain-text.ts';
import type { IterationQuery, Moment, RunSource } from './run-source.ts';
import { ScrollBox } from './scroll-box.tsx';
import { StatusMark } from './status-mark.tsx';
import { useLatest } from './use-latest.ts';
import { lengthOf } from './words.ts';

const PAGE = 20;
const STATUSES = ['running', 'succeeded', 'failed'] as const;

export interface IterationsProps {
  source: RunSource;
  step: string;
  moment: Moment;
}

export function Iterations({ source, step, moment }: IterationsProps) {
  const [status, setStatus] = useState<IterationQuery['status']>();
  const [from, setFrom] = useState(0);
  const page = useLatest(
    source,
    () => source.iterations(step, { seq: moment.seq, status, from, count: PAGE }),
    [step, moment, status, from],
  );
  const { total = 0, rows = [] } = page ?? {};
  const last = Math.min(total, from + PAGE);
  return (
    <details>
      <summary>Iterations</summary>
      <div class="rv-filter">
        <select
          aria-label="Status of iterations"
          onChange={(event) => {
            setStatus((event.currentTarget.value || undefined) as IterationQuery['status']);
            setFrom(0);
          }}
        >
          <option value="">all</option>
          {STATUSES.map((word) => (
            <option key={word}>{word}</option>
          ))}
        </select>
        <span class="rv-number">
          {page === undefined ? 'Loading…' : `${Math.min(total, from + 1)}–${last} of ${total}`}
        </span>
        <button type="button" disabled={from === 0} onClick={() => setFrom(from - PAGE)}>
          ‹<span class="rv-unseen">Earlier iterations</span>
        </button>
        <button type="button" disabled={last >= total} onClick={() => setFrom(from + PAGE)}>
          ›<span class="rv-unseen">Later iterations</span>
        </button>
      </div>
      <ScrollBox kind="rv-wide" label="Iterations">
        <table>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td class="rv-number">{row.index}</td>
                <td>
                  <StatusMark status={row.status} isShort />
                </td>
                <td class="rv-number">{row.end === undefined ? '' : lengthOf(row.end - row.start)}</td>
                <td>{plainText(row.error ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </details>
  );
}
