import { decodeJson, type Json } from './json.ts';

const CHUNK = 8192;

/** Decodes bytes of unknown type: as JSON if they are valid JSON, else as text, else as base64. */
export function decodeBytes(bytes: Uint8Array): Json {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  try {
    return decodeJson(text);
  } catch {
    return isText(bytes) ? text : base64(bytes);
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
