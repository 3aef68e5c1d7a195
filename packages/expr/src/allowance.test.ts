import { describe, expect, it } from 'vitest';
import { Allowance, sharing } from './allowance.ts';
import { compile, scopeOf } from './index.ts';

const host = { now: () => 0 };
/** Uses most of what one evaluation may use. */
const HEAVY =
  '{% for i in range(300) %}{% for j in range(1000) %}{% endfor %}{% endfor %}{% for k in range(1) %}{{ k }}{% endfor %}';
const MANY = 20;
const LARGE = "{{ 'x' * 9000000 }}";

const evaluate = (source: string) => compile(source).template!.evaluate(scopeOf({}), host);

/** How many of many evaluations succeed, and the error of the next one. */
function countOf(source: string): { succeeded: number; error?: string } {
  for (let succeeded = 0; succeeded < MANY; succeeded++) {
    try {
      evaluate(source);
    } catch (error) {
      return { succeeded, error: (error as Error).message };
    }
  }
  return { succeeded: MANY };
}

describe('evaluations that share an allowance', () => {
  it.each([
    ['operations', HEAVY, 'takes too many operations'],
    ['product', LARGE, 'creates a value that is too large'],
  ])('fail when they have used up its %s', (_what, source, why) => {
    const { succeeded, error } = sharing(() => countOf(source));
    expect(succeeded).toBeGreaterThanOrEqual(4);
    expect(succeeded).toBeLessThan(MANY);
    expect(error).toBe(
      `after the templates that were evaluated before it for the same step or task, this template ${why}`,
    );
  });

  it('have their own limits without one', () => {
    expect(countOf(HEAVY)).toEqual({ succeeded: MANY });
    expect(() => evaluate(`${HEAVY}${HEAVY}${HEAVY}${HEAVY}`)).toThrow(
      'this template takes too many operations',
    );
  });

  it('say how much they used, also if they failed', () => {
    const allowance = new Allowance();
    sharing(() => evaluate('{{ 1 + 1 }}'), allowance);
    expect(allowance.used).toBeLessThan(0.001);
    sharing(() => expect(() => evaluate("{{ 'x' * 10**9 }}")).toThrow(/^this template/), allowance);
    expect(allowance.used).toBeCloseTo(1 / 16);
  });
});
