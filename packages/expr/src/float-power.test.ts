import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floatPower } from './float-power.ts';

type Pair = [a: number, b: number];

/** C's `pow`, as Python calls it. If its result differs from ours, also the nearest double, by `decimal`. */
const SCRIPT = `
import decimal, json, math, sys
decimal.setcontext(decimal.Context(prec=80, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN))
def power(a, b):
    try: return a ** b
    except OverflowError: return math.inf if a > 0 or b % 2 == 0 else -math.inf
def check(a, b, ours):
    c = power(a, b)
    return None if c == ours else float(decimal.Decimal(a) ** decimal.Decimal(b)) == ours
print(json.dumps([check(*each) for each in json.load(sys.stdin)]))
`;

/** Per pair: null if Python gives the same result, otherwise whether ours is nearer. */
function inPython(pairs: readonly Pair[]): (boolean | null)[] {
  const rows = pairs.map(([a, b]) => [a, b, floatPower(a, b)].map(floatText).join(','));
  const input = `[${rows.map((row) => `[${row}]`).join(',')}]`;
  const { stdout, stderr } = spawnSync('python3', ['-c', SCRIPT], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as (boolean | null)[];
}

const floatText = (value: number): string => (Number.isFinite(value) ? value.toExponential() : String(value));
const uniform = (min: number, max: number) =>
  fc.integer({ min: 0, max: 2 ** 31 }).map((step) => min + ((max - min) * step) / 2 ** 31);

/** Powers within the range of doubles, at its limits, and next to 1. */
const pair: fc.Arbitrary<Pair> = fc.oneof(
  fc.tuple(uniform(0.01, 3), uniform(-40, 40)),
  fc.tuple(uniform(-1000, 1000), fc.integer({ min: -120, max: 120 })),
  fc.tuple(uniform(-690, 690).map(Math.exp), uniform(-2, 2)),
  fc.tuple(uniform(-745, -700).map(Math.exp), uniform(0.98, 1.06)),
  fc.tuple(
    fc.integer({ min: 1, max: 99 }).map((ulps) => 1 + ulps * 2 ** -52),
    uniform(-3e15, 3e15),
  ),
);

describe('floatPower', () => {
  it('gives what Python gives, or a nearer double', () => {
    const pairs = fc.sample(pair, 8000).filter(([a]) => a !== 0);
    const apart = inPython(pairs).flatMap((isNearer, index) =>
      isNearer === null ? [] : [{ pair: pairs[index], isNearer }],
    );
    expect(apart.filter(({ isNearer }) => !isNearer)).toEqual([]);
    expect(apart.length / pairs.length).toBeLessThan(0.01);
  });

  it('rounds half to even if the power is halfway between two doubles', () => {
    const pairs: Pair[] = [];
    for (let a = 3; a < 2000; a += 2)
      for (let b = 2; b < 40; b++) if (2 ** 53 < a ** b && a ** b < 2 ** 54) pairs.push([a, b]);
    expect(pairs.length).toBeGreaterThan(50);
    for (const [a, b] of pairs)
      expect([a, b, floatPower(a, b)]).toEqual([a, b, Number(BigInt(a) ** BigInt(b))]);
  });

  it.each<[...Pair, number]>([
    [1.1, 100, 13780.61233982238],
    [2, 1024, Infinity],
    [-2, 1023, -(2 ** 1023)],
    [2, -1074, 5e-324],
    [2, -1075, 0],
    [2, -1074.9, 5e-324],
    [-2, -1075, -0],
    [0, 3, 0],
    [-0, 3, -0],
    [-1, Infinity, 1],
    [1, Number.NaN, 1],
    [Number.NaN, 0, 1],
    [-8, 1 / 3, Number.NaN],
    [-Infinity, 3, -Infinity],
    [5e-324, 0.5, 2.2227587494850775e-162],
    [1 + 2 ** -52, 1e300, Infinity],
  ])('%s ** %s is %s', (a, b, power) => expect(floatPower(a, b)).toBe(power));
});
