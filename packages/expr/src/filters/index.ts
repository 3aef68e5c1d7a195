/** Owns: the table of all filters. */
import { type Builtin, define, find, lenient, type Table } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { lengthOf } from '../iterate.ts';
import { didYouMean } from '../nearest.ts';
import { Fault } from '../template-error.ts';
import { toText } from '../text.ts';
import { Undefined } from '../values.ts';

const FILTERS: Table = {
  default: lenient(
    define('value boolean', (_rt, v, d = '', b = false) =>
      v instanceof Undefined || (truthy(b) && !truthy(v)) ? d : v,
    ),
  ),
  length: define('', (_rt, v) => lengthOf(v)),
  lower: define('', (rt, v) => toText(rt, v).toLowerCase()),
  upper: define('', (rt, v) => toText(rt, v).toUpperCase()),
  string: define('', (rt, v) => toText(rt, v)),
};

export function filterNamed(name: string): Builtin {
  const filter = find(FILTERS, name);
  if (filter) return filter;
  throw new Fault(
    'expr/unknown-filter',
    `there is no filter "${name}"`,
    didYouMean(name, Object.keys(FILTERS)),
  );
}
