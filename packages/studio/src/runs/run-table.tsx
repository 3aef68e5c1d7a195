/** Rows of runs: name, status, time, duration. */
import type { Signal } from '@preact/signals';
import { StatusMark } from '@woof/run-view';
import type { Row } from '../changes.ts';
import { said } from '../parts/said.ts';
import { Table } from '../parts/table.tsx';
import { Length, Time } from '../parts/time.tsx';
import { runAddress } from '../run-address.ts';

export function RunTable({ rows, chosen }: { rows: readonly Row[]; chosen?: Signal<ReadonlySet<string>> }) {
  const choose = (id: string) => {
    if (!chosen) return;
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return (
    <Table kind="runs" columns={[...(chosen ? [chooseAll(rows, chosen)] : []), ...COLUMNS]}>
      {rows.map((row) => (
        <tr key={row.execution_id}>
          {chosen && (
            <td class="choose">
              <input
                type="checkbox"
                aria-label={`Select ${said(row.name)} ${row.execution_id}`}
                checked={chosen.value.has(row.execution_id)}
                onChange={() => choose(row.execution_id)}
              />
            </td>
          )}
          <td class="status">
            <StatusMark status={row.status} />
          </td>
          <td class="what">
            <a href={runAddress(row.execution_id)}>{said(row.name)}</a>
            <small>{said(row.path ?? row.file ?? row.execution_id)}</small>
            {row.error !== undefined && <small class="bad">{said(row.error)}</small>}
          </td>
          <td>{row.kind}</td>
          <td>
            <Time at={row.started_at} />
          </td>
          <td class="number">
            <Length from={row.started_at} to={row.ended_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const COLUMNS = [
  'Status',
  { name: 'Run', as: 'wide' },
  'Kind',
  'Started',
  { name: 'Duration', as: 'number' },
] as const;

const chooseAll = (rows: readonly Row[], chosen: Signal<ReadonlySet<string>>) => ({
  name: 'Select',
  as: 'unseen' as const,
  head: (
    <input
      type="checkbox"
      aria-label="Select all that are shown"
      checked={rows.length > 0 && chosen.value.size === rows.length}
      onChange={(event) => {
        chosen.value = new Set(event.currentTarget.checked ? rows.map((row) => row.execution_id) : []);
      }}
    />
  ),
});
