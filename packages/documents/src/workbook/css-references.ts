/**
 * What a style sheet loads: `url(…)`, texts in `image-set(…)`, and `@import`. A scanner that knows comments, strings and
 * escapes; what it does not understand it leaves as it is.
 */
export interface CssReference {
  /** Offsets in the text, of all that is to be replaced. */
  start: number;
  end: number;
  url: string;
  /** Of an import, what stands between its address and the semicolon: layer, supports, media. */
  conditions?: string;
}

const TOKEN =
  /\/\*[\s\S]*?(?:\*\/|$)|@import\b|@namespace\b[^;]*|image-set\(|url\(\s*|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|[()]/gi;

export function cssReferences(text: string): CssReference[] {
  const found: CssReference[] = [];
  /** For each open parenthesis, whether texts in it are addresses. */
  const open: boolean[] = [];
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const word = match[0].toLowerCase();
    if (word.startsWith('url(')) {
      const reference = urlAt(text, match.index, match[0].length);
      if (reference === undefined) continue;
      found.push(reference);
      token.lastIndex = reference.end;
    } else if (word === '@import') {
      const reference = importAt(text, match.index);
      if (reference === undefined) continue;
      found.push(reference);
      token.lastIndex = reference.end;
    } else if (word === 'image-set(') open.push(true);
    else if (word === '(') open.push(false);
    else if (word === ')') open.pop();
    else if (/^["']/.test(word) && open.at(-1)) {
      found.push({ start: match.index, end: token.lastIndex, url: unescaped(match[0].slice(1, -1)) });
    }
  }
  return found;
}

/** From `url(` to its parenthesis, quoted or not. */
function urlAt(text: string, start: number, length: number): CssReference | undefined {
  const rest = /(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|((?:[^\s"'()\\]|\\[\s\S])*))\s*\)/y;
  rest.lastIndex = start + length;
  const match = rest.exec(text);
  if (!match) return undefined;
  return { start, end: rest.lastIndex, url: unescaped(match[1] ?? match[2] ?? match[3] ?? '') };
}

function importAt(text: string, start: number): CssReference | undefined {
  const after = /\s*/y;
  after.lastIndex = start + '@import'.length;
  after.exec(text);
  const at = after.lastIndex;
  const address = /url\(\s*/iy;
  address.lastIndex = at;
  const opening = address.exec(text);
  const target = opening ? urlAt(text, at, opening[0].length) : stringAt(text, at);
  if (target === undefined) return undefined;
  const semicolon = endOfStatement(text, target.end);
  const conditions = text.slice(target.end, semicolon).trim();
  return { start, end: Math.min(semicolon + 1, text.length), url: target.url, conditions };
}

function stringAt(text: string, start: number): CssReference | undefined {
  const string = /"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'/y;
  string.lastIndex = start;
  const match = string.exec(text);
  return match ? { start, end: string.lastIndex, url: unescaped(match[1] ?? match[2] ?? '') } : undefined;
}

function endOfStatement(text: string, from: number): number {
  const end = /[;{}]/g;
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|(\r\n|[\s\S]))/gi, (_, hex?: string, char?: string) => {
    if (hex === undefined) return char === '\n' || char === '\r\n' ? '' : (char ?? '');
    const point = Number.parseInt(hex, 16);
    return point === 0 || point > 0x10ffff ? '\uFFFD' : String.fromCodePoint(point);
  });
}
