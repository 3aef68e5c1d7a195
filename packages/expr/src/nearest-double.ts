/** Owns: rounding an exact or nearly exact `mantissa × 2^exponent` once to the nearest double, half to even. */

const PRECISION = 53;
/** The exponent of the smallest double. */
const SMALLEST = -1074;

/**
 * `mantissa` is not negative. If it is an approximation, `doubtful` is the number of its last bits that may be wrong: a
 * value that close to the midpoint between two doubles is treated as the midpoint.
 */
export function nearestDouble(mantissa: bigint, exponent: number, doubtful = 0): number {
  const bits = bitLength(mantissa);
  const dropped = Math.max(bits - PRECISION, SMALLEST - exponent);
  if (dropped <= 0) return Number(mantissa) * 2 ** exponent;
  const kept = mantissa >> BigInt(dropped);
  const isUp = roundsUp(mantissa - (kept << BigInt(dropped)), BigInt(dropped), kept, BigInt(doubtful));
  return Number(isUp ? kept + 1n : kept) * 2 ** (exponent + dropped);
}

function roundsUp(rest: bigint, dropped: bigint, kept: bigint, doubtful: bigint): boolean {
  const above = rest - (1n << (dropped - 1n));
  const isMiddle = (above < 0n ? -above : above) >> doubtful === 0n;
  return isMiddle ? kept % 2n === 1n : above > 0n;
}

export function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0]!, 16)) + 28;
}
