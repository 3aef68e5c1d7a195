/** Numbers, words and text in the form in which Node shows them. */
export const numberText = (value: number) => (Object.is(value, -0) ? '-0' : String(value));

export function primitive(value: unknown, quoted = true): string {
  if (typeof value === 'string') return quoted ? quote(value) : value;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return numberText(value);
  return String(value);
}

const ESCAPES: Record<string, string> = {
  '\b': String.raw`\b`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\f': String.raw`\f`,
  '\r': String.raw`\r`,
  '\v': String.raw`\v`,
  '\\': String.raw`\\`,
};

/** Control characters, backslashes, single quotes and unpaired surrogates. */
const SPECIAL = /[\p{Cc}\p{Cs}\\']/gu;

export function quote(text: string): string {
  const mark = !text.includes("'")
    ? "'"
    : !text.includes('"')
      ? '"'
      : text.includes('`') || text.includes('${')
        ? "'"
        : '`';
  const escaped = text.replaceAll(SPECIAL, (char) => {
    if (char === "'") return mark === "'" ? String.raw`\'` : char;
    const code = char.charCodeAt(0);
    const hex = code.toString(16);
    return ESCAPES[char] ?? (code > 255 ? `\\u${hex}` : `\\x${hex.toUpperCase().padStart(2, '0')}`);
  });
  return mark + escaped + mark;
}
