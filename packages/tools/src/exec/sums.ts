/** `SHA256SUMS` of a bundle: one line per file, sorted by name, in the format of `sha256sum -c`. */

/** By name. */
export type Sums = ReadonlyMap<string, string>;

export function writeSums(sums: Sums): string {
  const lines = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => `${sum}  ${name}\n`);
  return lines.join('');
}

/** Skips lines that cannot be parsed: then writing the sums again gives a different text. */
export function readSums(text: string): Sums {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64}) {2}(.+)$/s.exec(line));
  return new Map(lines.flatMap((match) => (match ? [[match[2]!, match[1]!] as const] : [])));
}
