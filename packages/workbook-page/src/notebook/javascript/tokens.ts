/**
 * The tokens of a JavaScript text, as far as needed to find where statements begin and end. Comments are skipped; a
 * template is one token, whatever it contains. Not a parser: the browser reports errors.
 */
export interface Token {
  type: 'word' | 'number' | 'text' | 'regex' | 'sign';
  text: string;
  start: number;
  end: number;
  /** It is preceded by a line break. */
  isFirstOfLine: boolean;
}

const SPACE = /[\s\uFEFF]+/y;
const COMMENT = /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/|#![^\n]*/y;
const WORD = /[#@]?[\p{ID_Start}$_\\](?:[\p{ID_Continue}$\\]|\u200C|\u200D)*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+n?)|(?:(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?n?)/y;
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const SIGN =
  /=>|\.\.\.|\?\.(?!\d)|\+\+|--|\*\*=?|&&=?|\|\|=?|\?\?=?|>>>=?|>>=?|<<=?|[=!]==?|[<>]=|[-+*/%&|^]=|[\s\S]/y;

/** An operand follows these, so that a slash begins a regular expression. */
const BEFORE_OPERAND = new Set([
  ...['return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'throw', 'new', 'instanceof'],
  ...['else', 'do', 'yield', 'await'],
]);

export function tokensOf(code: string): Token[] {
  const tokens: Token[] = [];
  let isFirstOfLine = false;
  for (let at = 0; at < code.length; ) {
    const gap =
      match(SPACE, code, at) ?? (at === 0 || code[at] !== '#' ? match(COMMENT, code, at) : undefined);
    if (gap !== undefined) {
      isFirstOfLine ||= /[\n\r\u2028\u2029]/.test(gap);
      at += gap.length;
      continue;
    }
    const [type, text] = read(code, at, tokens.at(-1), isFirstOfLine);
    tokens.push({ type, text, start: at, end: at + text.length, isFirstOfLine });
    at += text.length;
    isFirstOfLine = false;
  }
  return tokens;
}

function read(
  code: string,
  at: number,
  before: Token | undefined,
  isFirst: boolean,
): [Token['type'], string] {
  const char = code[at]!;
  if (char === '`') return ['text', code.slice(at, endOfTemplate(code, at))];
  const number = /[\d.]/.test(char) ? match(NUMBER, code, at) : undefined;
  if (number !== undefined) return ['number', number];
  const word = match(WORD, code, at);
  if (word !== undefined) return ['word', word];
  const text = match(STRING, code, at);
  if (text !== undefined) return ['text', text];
  const regex = char === '/' && !endsOperand(before, isFirst) ? match(REGEX, code, at) : undefined;
  return regex === undefined ? ['sign', match(SIGN, code, at)!] : ['regex', regex];
}

/** Whether a slash after it divides. A closing brace at the end of a line more often closes a block than a value. */
function endsOperand(token: Token | undefined, nextIsFirst: boolean): boolean {
  if (token === undefined) return false;
  if (token.type === 'word') return !BEFORE_OPERAND.has(token.text);
  if (token.type !== 'sign') return true;
  return token.text === ')' || token.text === ']' || (token.text === '}' && !nextIsFirst);
}

/** Where the template that begins at `start` ends: code in it may contain further templates. */
function endOfTemplate(code: string, start: number): number {
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === '`') return at + 1;
    else if (code[at] === '$' && code[at + 1] === '{') at = endOfHole(code, at + 2) - 1;
  }
  return code.length;
}

function endOfHole(code: string, start: number): number {
  let depth = 1;
  for (let at = start; at < code.length; ) {
    const gap = match(COMMENT, code, at) ?? match(STRING, code, at);
    if (gap !== undefined) at += gap.length;
    else if (code[at] === '`') at = endOfTemplate(code, at);
    else {
      if (code[at] === '{') depth++;
      if (code[at] === '}') depth--;
      at++;
      if (depth === 0) return at;
    }
  }
  return code.length;
}

function match(pattern: RegExp, code: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code)?.[0];
}
