/** Rows of runs. `COLUMNS` says what each column shows. */
import type { Signal } from '@preact/signals';
import { StatusMark } from '@woof/run-view';
import type { ComponentChildren } from 'preact';
import type { Row } from '../changes.ts';
import { said } from '../parts/said.ts';
import { type ColumnFacts, Table } from '../parts/table.tsx';
import { Length, Time } from '../parts/time.tsx';
import { runAddress } from '../run-address.ts';

interface Column extends ColumnFacts {
  cell(row: Row): ComponentChildren;
  /** The class of the cells, if it is not `as`. */
  class?: string;
}

const COLUMNS: readonly Column[] = [
  { name: 'Status', class: 'status', cell: (row) => <StatusMark status={row.status} /> },
  {
    name: 'Run',
    as: 'wide',
    class: 'what',
    cell: (row) => (
      <>
        <a href={runAddress(row.execution_id)}>{said(row.name)}</a>
        <small>{said(row.path ?? row.file ?? row.execution_id)}</small>
        {row.error !== undefined && <small class="bad">{said(row.error)}</small>}
      </>
    ),
  },
  { name: 'Kind', cell: (row) => row.kind },
  { name: 'Started', cell: (row) => <Time at={row.started_at} /> },
  { name: 'Duration', as: 'number', cell: (row) => <Length from={row.started_at} to={row.ended_at} /> },
];

type Chosen = Signal<ReadonlySet<string>>;

export function RunTable({ rows, chosen }: { rows: readonly Row[]; chosen?: Chosen }) {
  const columns = chosen ? [choice(rows, chosen), ...COLUMNS] : COLUMNS;
  return (
    <Table kind="runs" columns={columns}>
      {rows.map((row) => (
        <tr key={row.execution_id}>
          {columns.map((column) => (
            <td key={column.name} class={column.class ?? column.as}>
              {column.cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function choice(rows: readonly Row[], chosen: Chosen): Column {
  const choose = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return {
    name: 'Select',
    as: 'unseen',
    class: 'choose',
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
    cell: ({ execution_id: id, name }) => (
      <input
        type="checkbox"
        aria-label={`Select ${said(name)} ${id}`}
        checked={chosen.value.has(id)}
        onChange={() => choose(id)}
      />
    ),
  };
}
