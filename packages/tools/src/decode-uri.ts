/** A part of an address as it is meant; what is encoded wrongly is taken as it stands. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
