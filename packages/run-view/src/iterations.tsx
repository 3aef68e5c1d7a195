/** The iterations of a step's loop, a page at a time. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
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
  moment: ReadonlySignal<Moment | undefined>;
}

export function Iterations({ source, step, moment }: IterationsProps) {
  const status = useSignal<IterationQuery['status']>(undefined);
  const from = useSignal(0);
  const page = useLatest(
    () => ({ seq: moment.value?.seq ?? 0, status: status.value, from: from.value }),
    ({ seq, status: wanted, from: first }) =>
      source.iterations(step, { seq, ...(wanted ? { status: wanted } : {}), from: first, count: PAGE }),
    [source, step],
  );
  const { total = 0, rows = [] } = page.value ?? {};
  const turn = (by: number) => {
    from.value += by;
  };
  const last = Math.min(total, from.value + PAGE);
  return (
    <details>
      <summary>Iterations</summary>
      <div class="rv-filter">
        <select
          aria-label="Status of iterations"
          onChange={(event) => {
            status.value = (event.currentTarget.value || undefined) as IterationQuery['status'];
            from.value = 0;
          }}
        >
          <option value="">all</option>
          {STATUSES.map((word) => (
            <option key={word}>{word}</option>
          ))}
        </select>
        <span class="rv-number">
          {page.value === undefined ? 'Loading…' : `${Math.min(total, from.value + 1)}–${last} of ${total}`}
        </span>
        <button type="button" disabled={from.value === 0} onClick={() => turn(-PAGE)}>
          ‹<span class="rv-unseen">Earlier iterations</span>
        </button>
        <button type="button" disabled={last >= total} onClick={() => turn(PAGE)}>
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
