/** `SHA256SUMS` of a bundle: a line a file, in the order of their names, as `sha256sum -c` reads it. */

/** By name. */
export type Sums = ReadonlyMap<string, string>;

export function writeSums(sums: Sums): string {
  const lines = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => `${sum}  ${name}\n`);
  return lines.join('');
}

/** What cannot be read is left out: writing them again gives another text then. */
export function readSums(text: string): Sums {
  const lines = text.split('\n').map((line) => /^([0-9a-f]{64}) {2}(.+)$/s.exec(line));
  return new Map(lines.flatMap((match) => (match ? [[match[2]!, match[1]!] as const] : [])));
}
