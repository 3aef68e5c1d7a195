/** The headers of a reply, as the document sees them. */
type Headers = Record<string, string | string[]>;

/** Names in lower case. A header that came several times is a list. */
export function headersOf(raw: readonly string[]): Headers {
  const headers: Headers = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const value = asUtf8(raw[at + 1]!);
    // A header may be called "constructor".
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (known === undefined) headers[name] = value;
    else if (typeof known === 'string') headers[name] = [known, value];
    else known.push(value);
  }
  return headers;
}

/** Node reads bytes as Latin-1, but servers send UTF-8. */
function asUtf8(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\uFFFD') ? value : text;
}
