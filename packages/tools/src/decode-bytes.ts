import { decodeJson, type Json } from '@woof/net';

/** Bytes as JSON where they are JSON, else as text, else as base64. */
export function decodeBytes(bytes: Uint8Array): Json {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = buffer.toString('utf8');
  try {
    return decodeJson(text);
  } catch {
    return Buffer.from(text, 'utf8').equals(buffer) ? text : buffer.toString('base64');
  }
}
