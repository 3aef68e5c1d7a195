/** Gzip as the format requires: data that inflates beyond its limit is refused before it is allocated. */
import { gunzipSync, gzipSync } from 'node:zlib';

export function gzip(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: 9 });
}

/** Throws a RangeError beyond the limit. */
export function gunzip(bytes: Uint8Array, limit: number): Uint8Array {
  return gunzipSync(bytes, { maxOutputLength: limit });
}
