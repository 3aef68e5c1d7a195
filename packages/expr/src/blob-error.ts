/** Why a stored value cannot be loaded or stored. */
export type BlobFault = 'missing' | 'damaged' | 'too_large' | 'unreadable' | 'not_at_hand';

export class BlobError extends Error {
  constructor(
    readonly fault: BlobFault,
    message: string,
  ) {
    super(message);
  }
}

/** `most`: the limit `value_bytes`. */
export function tooLarge(size: number, most: number): BlobError {
  const advice =
    'Read one of its short fields, pass on the whole value, read it with a duckdb task through "tables", or raise the limit with --limit value_bytes=N';
  return new BlobError('too_large', `it has ${size} bytes, and the limit is ${most}. ${advice}`);
}
