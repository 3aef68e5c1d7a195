/** A notebook as the JSON of the specification's §9: header values, cells with typed tokens, bodies. */
import type { Json, JsonObject } from '@woof/net';
import { type Cell, splitList } from './cell.ts';
import type { Notebook } from './notebook.ts';

const NUMBERS = new Set(['timeout', 'memory_mb', 'retries', 'priority']);
const LISTS = new Set(['deps', 'tags']);

export function toJsonForm(notebook: Notebook): JsonObject {
  const { major, minor } = notebook.magic?.version ?? { major: 1, minor: 0 };
  return {
    file: 'WOOFNB',
    version: `${major}.${minor}`,
    header: notebook.header.data,
    cells: notebook.cells.map(cellForm),
  };
}

function cellForm(cell: Cell): JsonObject {
  const tokens = cell.tokens
    .filter(({ fault, key }) => fault !== 'no-equals' && key !== 'body')
    .map(({ key, value }) => [key, typed(key, value)]);
  return { ...Object.fromEntries(tokens), body: cell.body };
}

/** A value that does not match its key's type stays text. */
function typed(key: string, value: string): Json {
  if (LISTS.has(key)) return splitList(value);
  if (NUMBERS.has(key) && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (key === 'disabled' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
