/**
 * Classifies places in a JavaScript text: in code, in a literal or comment, or in a `String.raw` template.
 *
 * A scanner, not a parser: it distinguishes strings, templates, comments and regular expressions. It judges by the
 * preceding text whether a slash divides or begins a regular expression, which is right for all but contrived programs.
 */
export type ScriptContext = 'code' | 'literal' | 'raw';

interface Span {
  context: ScriptContext;
  end: number;
}

/** `places` must ascend. In scripts that are not modules `<!--` begins a comment, as it did in the first browsers. */
export function contextsOf(text: string, places: readonly number[], isModule: boolean): ScriptContext[] {
  const found: ScriptContext[] = [];
  let next = 0;
  for (const { context, end } of spansOf(text, isModule ? MARKS : OLD_MARKS)) {
    while (next < places.length && places[next]! < end) {
      found.push(context);
      next++;
    }
    if (next === places.length) return found;
  }
  while (next++ < places.length) found.push('code');
  return found;
}

function* spansOf(text: string, marks: RegExp): Generator<Span> {
  /** For each open template, how many braces are open inside its placeholder, and whether it is raw. */
  const templates: { braces: number; raw: boolean }[] = [];
  const seen = { until: 0 };
  let at = 0;
  while (at < text.length) {
    const start = nextMark(text, at, marks);
    if (start > at) yield { context: 'code', end: start };
    if (start >= text.length) return;
    const char = text[start]!;
    const open = templates.at(-1);
    if (char === '{' || char === '}') {
      if (char === '}' && open?.braces === 0) {
        templates.pop();
        at = yield* template(text, start + 1, open.raw, templates);
        continue;
      }
      if (open) open.braces += char === '{' ? 1 : -1;
      yield { context: 'code', end: start + 1 };
      at = start + 1;
    } else if (char === '`') {
      at = yield* template(text, start + 1, /\bString\s*\.\s*raw\s*$/.test(before(text, start)), templates);
    } else if (char === '<') {
      yield { context: 'code', end: start + 1 };
      at = endOf(text, LINE_END, start);
      yield { context: 'literal', end: at };
    } else {
      const end = literalEnd(text, start, char, seen);
      yield { context: end > start + 1 ? 'literal' : 'code', end };
      at = end;
    }
  }
}

function nextMark(text: string, from: number, marks: RegExp): number {
  marks.lastIndex = from;
  return marks.exec(text)?.index ?? text.length;
}
const MARKS = /["'`/{}]/g;
const OLD_MARKS = /["'`/{}]|<!--/g;

/** From after its backtick, or after a placeholder, to its end or the next placeholder. */
function* template(
  text: string,
  from: number,
  raw: boolean,
  open: { braces: number; raw: boolean }[],
): Generator<Span, number> {
  let at = from;
  while (at < text.length && text[at] !== '`' && !text.startsWith('${', at)) at += text[at] === '\\' ? 2 : 1;
  yield { context: raw ? 'raw' : 'literal', end: at };
  if (text[at] === '$') {
    open.push({ braces: 0, raw });
    return at + 2;
  }
  return at + 1;
}

/**
 * `seen`: no regular expression ends before this offset, so that a line of slashes is not scanned again for each of
 * them.
 */
function literalEnd(text: string, start: number, char: string, seen: { until: number }): number {
  if (char !== '/') return quotedEnd(text, start, char);
  if (text[start + 1] === '/') return endOf(text, LINE_END, start);
  if (text[start + 1] === '*') return endOf(text, /\*\//g, start + 2);
  if (start < seen.until || !begins(before(text, start))) return start + 1;
  const end = regularExpressionEnd(text, start);
  if (end !== undefined) return end;
  seen.until = endOf(text, LINE_END, start);
  return start + 1;
}

function quotedEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function regularExpressionEnd(text: string, start: number): number | undefined {
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\n') return undefined;
    if (char === '\\') at++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at + 1;
  }
  return undefined;
}

const LINE_END = /[\r\n\u2028\u2029]/g;

function endOf(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match ? match.index + match[0].length : text.length;
}

/** The preceding text, as far as the decision needs it. */
function before(text: string, at: number): string {
  return text.slice(Math.max(0, at - 64), at).replace(/\/\*[\s\S]*?\*\/\s*$/, '');
}

/** Whether a slash here begins a regular expression: after an operator or a word that takes a value. */
function begins(code: string): boolean {
  const end = code.trimEnd();
  if (end === '') return true;
  const word = /[\p{ID_Continue}$]+$/u.exec(end)?.[0];
  if (word !== undefined)
    return /^(return|typeof|case|do|else|in|of|instanceof|new|delete|void|throw|yield|await)$/.test(word);
  return !/[)\]}"'`]$/.test(end) && !/(\+\+|--)$/.test(end);
}
