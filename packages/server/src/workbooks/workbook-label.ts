/**
 * The host name of a workbook: its content hash as 50 letters and digits, because a DNS label has at most 63
 * characters.
 */
const LENGTH = 50;

export function workbookLabel(sha256: string): string {
  return BigInt(`0x${sha256}`).toString(36).padStart(LENGTH, '0');
}
