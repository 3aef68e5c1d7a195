import { compile, scopeOf } from '@woof/expr';
import { expect, it } from 'vitest';
import { withValues } from './with-values.ts';

const port = { lacks: () => false, bring: async () => {} };
/** Creates most of what one evaluation may create. */
const { template } = compile("{{ 'x' * 9000000 }}");

function evaluate(times: number): void {
  for (let time = 0; time < times; time++) template!.evaluate(scopeOf({}), { now: () => 0 });
}

it('templates that are evaluated together share what they may use', () => {
  expect(() => withValues(port, () => evaluate(20))).toThrow(
    /^after the templates that were evaluated before it .* this template creates a value that is too large/,
  );
  for (let task = 0; task < 3; task++) void withValues(port, () => evaluate(15));
});
