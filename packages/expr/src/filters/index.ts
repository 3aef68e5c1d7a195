/** Owns: the table of all filters: those of Jinja2 3.1, and others that `docs/templates.md` describes. */
import { getAttribute } from '../access.ts';
import { asStored, type Builtin, define, find, lenient, type Table } from '../builtin.ts';
import { needString } from '../coerce.ts';
import { truthOf, truthy } from '../compare.ts';
import { didYouMean } from '../nearest.ts';
import { Fault } from '../template-error.ts';
import { Undefined } from '../values.ts';
import { htmlFilters } from './html-filters.ts';
import { jsonFilters } from './json-filters.ts';
import { listFilters } from './list-filters.ts';
import { numberFilters } from './number-filters.ts';
import { prettyPrint } from './pretty-print.ts';
import { selectFilters } from './select-filters.ts';
import { textFilters } from './text-filters.ts';

const fallback = asStored(
  lenient(
    define('default_value boolean', (rt, value, instead = '', boolean = false) =>
      value instanceof Undefined || (truthy(boolean) && !truthOf(rt, value)) ? instead : value,
    ),
  ),
);

const valueFilters: Table = {
  attr: define('name!', (rt, value, name) => getAttribute(rt, value, needString(name, 'the name'), rt.at)),
  d: fallback,
  default: fallback,
  pprint: define('', prettyPrint),
};

const TABLES = [
  valueFilters,
  textFilters,
  listFilters,
  numberFilters,
  selectFilters,
  jsonFilters,
  htmlFilters,
];

export const hasFilter = (name: string): boolean => TABLES.some((table) => find(table, name));

export function filterNamed(name: string): Builtin {
  for (const table of TABLES) {
    const filter = find(table, name);
    if (filter) return filter;
  }
  const names = TABLES.flatMap((table) => Object.keys(table));
  throw new Fault('expr/unknown-filter', `there is no filter "${name}"`, didYouMean(name, names));
}
