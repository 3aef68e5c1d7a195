/** The host name of a workbook: its content hash in 50 letters and digits, since a label of DNS has at most 63. */
const LENGTH = 50;

export function workbookLabel(sha256: string): string {
  return BigInt(`0x${sha256}`).toString(36).padStart(LENGTH, '0');
}
