/** Large parts of a page are embedded as base64 of gzip, and are unpacked on demand. */

type FromBase64 = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as FromBase64;
  if (fromBase64) return Reflect.apply(fromBase64, Uint8Array, [base64]);
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

export function open(base64: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
