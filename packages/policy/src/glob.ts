/** `*` matches anything, `?` one character, `{a,b}` either alternative. All other characters match themselves. */
const cache = new Map<string, RegExp>();
const REMEMBERED = 1000;

export function matches(pattern: string, text: string): boolean {
  let known = cache.get(pattern);
  if (known === undefined) {
    if (cache.size >= REMEMBERED) cache.clear();
    known = toRegExp(pattern);
    cache.set(pattern, known);
  }
  return known.test(text);
}

export function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matches(pattern, text));
}

/** Has no nested quantifiers, so no text makes it slow: `**` becomes `*`. */
function toRegExp(pattern: string): RegExp {
  const literal = (text: string) =>
    text
      .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll(/\*+/g, '[^]*')
      .replaceAll('?', '[^]');
  const source = pattern
    .split(/(\{[^{}]*\})/)
    .map((part) =>
      /^\{.*\}$/s.test(part) ? `(?:${part.slice(1, -1).split(',').map(literal).join('|')})` : literal(part),
    )
    .join('');
  return new RegExp(`^${source}$`);
}
