/** Base64 for browsers that may lack `Uint8Array.prototype.toBase64`. */
const CHUNK = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  // The length of an argument list is limited.
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(text);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** For addresses: no `+`, `/` or `=`. */
export function toBase64Url(text: string): string {
  const base64 = toBase64(new TextEncoder().encode(text));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function fromBase64Url(text: string): string {
  return new TextDecoder().decode(fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')));
}
