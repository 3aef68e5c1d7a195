import type { ComponentChildren } from 'preact';

interface ColumnFacts {
  name: string;
  /** `unseen`: only screen readers say the name. */
  as: 'number' | 'wide' | 'unseen';
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
export function Table({ columns, kind, children }: TableProps) {
  return (
    <table class={kind === undefined ? 'labelled' : `labelled ${kind}`} style={labelsOf(columns)}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={nameOf(column)} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

const nameOf = (column: Column): string => (typeof column === 'string' ? column : column.name);

function labelsOf(columns: readonly Column[]): Record<string, string> {
  const seen = columns.map((column) =>
    typeof column === 'object' && column.as === 'unseen' ? 'none' : JSON.stringify(nameOf(column)),
  );
  return Object.fromEntries(seen.map((label, i) => [`--column-${i + 1}`, label]));
}

function Head({ column }: { column: Column }) {
  if (typeof column === 'string') return <th scope="col">{column}</th>;
  const { name, as, head = name } = column;
  return (
    <th scope="col" class={as}>
      {as === 'unseen' && head === name ? <span class="sr">{name}</span> : head}
    </th>
  );
}
