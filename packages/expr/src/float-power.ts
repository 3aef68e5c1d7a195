/**
 * Owns: a float to the power of a float, rounded to the nearest double. JavaScript's own power may be wrong in the last
 * digit.
 *
 * The power is e^(b·ln a), in fixed point with `POINT` bits. Only its last `DOUBTFUL` bits may be wrong: b is below
 * 2^63, because with a larger b even the power of the float next to 1 is too large or 0. A power this close to the
 * midpoint between two doubles is treated as the midpoint: powers that are not exact come no closer than about 2^-120.
 */
import { nearestDouble } from './nearest-double.ts';

const POINT = 256;
const ONE = 1n << BigInt(POINT);
const DOUBTFUL = 76;
/** Powers of two beyond these are too large for a double, or closer to 0 than to the smallest double. */
const LARGEST_EXPONENT = 1100;
const MANTISSA_BITS = 52;
const LN2 = 2n * inverseTanh(ONE / 3n);

/** Like C's `pow`, gives infinity if the result is too large. */
export function floatPower(a: number, b: number): number {
  if (b === 0 || a === 1 || (a === -1 && Math.abs(b) === Infinity)) return 1;
  const rough = a ** b;
  if (a === 0 || !Number.isFinite(a) || !Number.isFinite(b) || Number.isNaN(rough)) return rough;
  if (Math.abs(Math.log2(Math.abs(a)) * b) > LARGEST_EXPONENT) return rough;
  return rough < 0 || Object.is(rough, -0) ? -positivePower(-a, b) : positivePower(Math.abs(a), b);
}

function positivePower(a: number, b: number): number {
  const [mantissa, exponent] = partsOf(b);
  const logarithm = shifted(naturalLog(a) * mantissa, exponent);
  const twos = divideRounding(logarithm, LN2);
  return nearestDouble(exponential(logarithm - twos * LN2), Number(twos) - POINT, DOUBTFUL);
}

/** Sums 2·(z + z³/3 + z⁵/5 + …) with z = (m−1)/(m+1), where a = m·2^e and m is near 1. */
function naturalLog(a: number): bigint {
  const [mantissa, exponent] = partsOf(a);
  const twos = Math.round(Math.log2(a));
  const near = shifted(mantissa << BigInt(POINT), exponent - twos);
  return 2n * inverseTanh(((near - ONE) << BigInt(POINT)) / (near + ONE)) + BigInt(twos) * LN2;
}

function inverseTanh(z: bigint): bigint {
  const square = fixedProduct(z, z);
  let sum = z;
  let power = z;
  for (let odd = 3n; power !== 0n && power !== -1n; odd += 2n) {
    power = fixedProduct(power, square);
    sum += power / odd;
  }
  return sum;
}

/** Sums 1 + x + x²/2! + … */
function exponential(x: bigint): bigint {
  let sum = ONE + x;
  let term = x;
  for (let n = 2n; term !== 0n; n += 1n) {
    term = fixedProduct(term, x) / n;
    sum += term;
  }
  return sum;
}

/** Rounds down, so a value below 0 never becomes 0. */
function fixedProduct(a: bigint, b: bigint): bigint {
  return (a * b) >> BigInt(POINT);
}

function shifted(value: bigint, by: number): bigint {
  return by < 0 ? value >> BigInt(-by) : value << BigInt(by);
}

function divideRounding(a: bigint, b: bigint): bigint {
  return (2n * a + (a < 0n ? -b : b)) / (2n * b);
}

/** `mantissa × 2^exponent`, exactly. */
function partsOf(value: number): [mantissa: bigint, exponent: number] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const biased = Number((raw >> BigInt(MANTISSA_BITS)) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return [value < 0 ? -mantissa : mantissa, Math.max(biased, 1) - 1075];
}
