import type { ComponentChildren } from 'preact';

export interface ColumnFacts {
  name: string;
  /** `unseen`: only screen readers say the name. */
  as?: 'number' | 'wide' | 'unseen';
  /** In place of the name. */
  head?: ComponentChildren;
}

type Column = string | ColumnFacts;

interface TableProps {
  columns: readonly Column[];
  kind?: string;
  children: ComponentChildren;
}

/** A table with its heads; the rows are its children. On a phone, each cell says its column: see `table.css`. */
export function Table({ columns, kind = '', children }: TableProps) {
  const heads = columns.map(
    (column): ColumnFacts => (typeof column === 'string' ? { name: column } : column),
  );
  return (
    <table class={`labelled ${kind}`} style={labelsOf(heads)}>
      <thead>
        <tr>
          {heads.map(({ name, as, head }) => (
            <th key={name} scope="col" class={as}>
              {head ?? (as === 'unseen' ? <span class="sr">{name}</span> : name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function labelsOf(heads: readonly ColumnFacts[]): Record<string, string> {
  const labels = heads.map(({ name, as }) => (as === 'unseen' ? 'none' : JSON.stringify(name)));
  return Object.fromEntries(labels.map((label, i) => [`--column-${i + 1}`, label]));
}
