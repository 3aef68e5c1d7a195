/** Decodes the bytes of a page: by its byte order mark, else as UTF-8, else by the encoding that it declares. */
const SAID = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{1,40})/i;
const HEAD_BYTES = 1024;

export function pageText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decoderFor(bytes).decode(bytes);
  }
}

function decoderFor(bytes: Uint8Array): InstanceType<typeof TextDecoder> {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  try {
    return new TextDecoder(SAID.exec(head)?.[1] ?? 'windows-1252');
  } catch {
    return new TextDecoder('windows-1252');
  }
}
