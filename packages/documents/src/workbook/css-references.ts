/**
 * What a style sheet loads: `url(…)`, strings in `image-set(…)`, and `@import`. A scanner that knows comments, strings
 * and escapes; it leaves anything that it does not understand unchanged.
 */
export interface CssReference {
  /** Offsets in the text, of everything to be replaced. */
  start: number;
  end: number;
  url: string;
  /** For an import, the text between its address and the semicolon: layer, supports, media. */
  conditions?: string;
}

/** Matches only beginnings: ends are found without patterns, which fail on texts of many megabytes. */
const TOKEN = /\/\*|@import\b|@namespace\b|image-set\(|url\(|["'()]/gi;

export function cssReferences(text: string): CssReference[] {
  const found: CssReference[] = [];
  /** For each open parenthesis, whether strings in it are addresses. */
  const open: boolean[] = [];
  const token = new RegExp(TOKEN);
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [word, start] = [match[0].toLowerCase(), match.index];
    if (word === 'url(' || word === '@import') {
      const reference = word === 'url(' ? urlAt(text, start) : importAt(text, start);
      if (reference === undefined) continue;
      found.push(reference);
      token.lastIndex = reference.end;
    } else if (word === '/*') token.lastIndex = after(text, '*/', start + 2);
    else if (word === '@namespace') token.lastIndex = after(text, ';', start);
    else if (word === 'image-set(') open.push(true);
    else if (word === '(') open.push(false);
    else if (word === ')') open.pop();
    else {
      const string = stringAt(text, start);
      if (string && open.at(-1)) found.push(string);
      token.lastIndex = string?.end ?? endOfString(text, start);
    }
  }
  return found;
}

function after(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at + what.length;
}

/** From `url(` to its parenthesis, quoted or not. */
function urlAt(text: string, start: number): CssReference | undefined {
  const from = afterBlanks(text, start + 'url('.length);
  const string = stringAt(text, from);
  const target = string ?? bareAddress(text, from);
  const end = afterBlanks(text, target.end);
  return text[end] === ')' ? { start, end: end + 1, url: target.url } : undefined;
}

function bareAddress(text: string, start: number): CssReference {
  let end = next(text, /[\s"'()\\]/g, start);
  while (text[end] === '\\') end = next(text, /[\s"'()\\]/g, end + 2);
  return { start, end, url: unescaped(text.slice(start, end)) };
}

function next(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function importAt(text: string, start: number): CssReference | undefined {
  const at = afterBlanks(text, start + '@import'.length);
  const isUrl = text.slice(at, at + 4).toLowerCase() === 'url(';
  const target = isUrl ? urlAt(text, at) : stringAt(text, at);
  if (target === undefined) return undefined;
  const semicolon = endOfStatement(text, target.end);
  const conditions = text.slice(target.end, semicolon).trim();
  return { start, end: Math.min(semicolon + 1, text.length), url: target.url, conditions };
}

/** A quoted string that is closed on its line. */
function stringAt(text: string, start: number): CssReference | undefined {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return undefined;
  const end = endOfString(text, start);
  if (end < start + 2 || text[end - 1] !== quote) return undefined;
  return { start, end, url: unescaped(text.slice(start + 1, end - 1)) };
}

/** After its quote, or at the end of its line. */
function endOfString(text: string, start: number): number {
  const stop = text[start] === '"' ? /["\\\n]/g : /['\\\n]/g;
  let at = next(text, stop, start + 1);
  while (text[at] === '\\') at = next(text, stop, at + 2);
  return text[at] === text[start] ? at + 1 : at;
}

function afterBlanks(text: string, from: number): number {
  return next(text, /\S/g, from);
}

function endOfStatement(text: string, from: number): number {
  return next(text, /[;{}]/g, from);
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:([0-9a-f]{1,6})\s?|(\r\n|[\s\S]))/gi, (_, hex?: string, char?: string) => {
    if (hex === undefined) return char === '\n' || char === '\r\n' ? '' : (char ?? '');
    const point = Number.parseInt(hex, 16);
    return point === 0 || point > 0x10ffff ? '\uFFFD' : String.fromCodePoint(point);
  });
}
