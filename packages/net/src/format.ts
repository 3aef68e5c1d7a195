/**
 * Formats that outlive the program that wrote them: logs, plans, snapshots.
 *
 * The version of a format is 1 plus the number of its upcasters: each upcaster turns a value into what the next version
 * would have written. A value without a version is of version 1. What a newer program wrote is refused, because part of
 * it could be misread.
 */
export interface Format<T> {
  /** The name that messages use. */
  what: string;
  upcasters: readonly ((old: T) => T)[];
}

/** Written by a newer Woof. It is not damaged, and no reason to give up a run: a newer Woof can read it. */
export class NewerVersion extends Error {
  override readonly name = 'NewerVersion';

  /** `reason` completes a sentence about `what`. */
  constructor(
    readonly what: string,
    found: number,
    known: number,
    readonly reason = `has version ${found}, and this Woof reads versions up to ${known}`,
  ) {
    super(`${what} ${reason}; upgrade woof`);
  }
}

export const currentVersion = <T>({ upcasters }: Format<T>): number => upcasters.length + 1;

export function toCurrent<T>(format: Format<T>, value: T, version: unknown = 1): T {
  const { what, upcasters } = format;
  const known = currentVersion(format);
  if (version === known) return value;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new Error(`expected the version of ${what} to be a whole number above 0, got ${String(version)}`);
  if (version > known) throw new NewerVersion(what, version, known);
  return upcasters.slice(version - 1).reduce((older, upcast) => upcast(older), value);
}
