/** The next page of a list: the address in the `Link` header with `rel="next"`. */
export function nextPage(headers: Record<string, string | string[]>, url: URL): string | undefined {
  const header = headers.link;
  if (header === undefined) return undefined;
  const text = Array.isArray(header) ? header.join(', ') : header;
  for (const [, target = '', parameters = ''] of text.matchAll(
    /<([^>]*)>((?:\s*;\s*[^,;"]+(?:"[^"]*")?)*)/g,
  )) {
    if (!/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/i.test(parameters)) continue;
    return URL.canParse(target, url.href) ? new URL(target, url).href : undefined;
  }
  return undefined;
}
