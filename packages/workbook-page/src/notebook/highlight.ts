/** Light highlighting: keywords, strings, numbers, comments. Returns HTML; anything unknown stays plain. */
import { escapeHtml } from './escape-html.ts';

const words = (text: string) =>
  new RegExp(String.raw`(?<![\w$.])(?:${text.split(' ').join('|')})(?![\w$])`, 'y');

interface Grammar {
  comment: RegExp;
  text: RegExp;
  word: RegExp;
}

const QUOTED = String.raw`"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?`;

const PYTHON: Grammar = {
  comment: /#[^\n]*/y,
  text: new RegExp(
    String.raw`(?<!\w)[rbfuRBFU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|${QUOTED})`,
    'y',
  ),
  word: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case',
  ),
};
const JAVASCRIPT: Grammar = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y,
  text: new RegExp(String.raw`${QUOTED}|\`(?:\\[\s\S]|[^\`\\])*\`?`, 'y'),
  word: words(
    'async await break case catch class const continue debugger default delete do else export extends false finally for from function get if import in instanceof let new null of return set static super switch this throw true try typeof undefined var void while yield',
  ),
};
const SHELL: Grammar = {
  comment: /(?<![\w$])#[^\n]*/y,
  text: new RegExp(QUOTED, 'y'),
  word: words('if then else elif fi for while do done case esac in function return local export set'),
};
const R: Grammar = {
  comment: /#[^\n]*/y,
  text: new RegExp(QUOTED, 'y'),
  word: words('if else for while repeat function return TRUE FALSE NULL NA in next break library'),
};
const DATA: Grammar = {
  comment: /(?<![\w])#[^\n]*/y,
  text: new RegExp(QUOTED, 'y'),
  word: words('true false null'),
};

const GRAMMARS: Record<string, Grammar> = {
  ...{ python: PYTHON, javascript: JAVASCRIPT, js: JAVASCRIPT, typescript: JAVASCRIPT, ts: JAVASCRIPT },
  ...{
    bash: SHELL,
    sh: SHELL,
    shell: SHELL,
    r: R,
    vega: DATA,
    json: DATA,
    yaml: DATA,
    data: DATA,
    py: PYTHON,
  },
};

const NUMBER = /(?<![\w$.])(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?)n?(?![\w$])/y;
const CALL = /[\p{L}_$][\p{L}\p{N}_$]*(?=\()/uy;
const PLAIN = /[\p{L}\p{N}_$]+|\s+|[\s\S]/uy;

export function highlight(code: string, language: string): string {
  const name = language.toLowerCase();
  const grammar = Object.hasOwn(GRAMMARS, name) ? GRAMMARS[name] : undefined;
  if (grammar === undefined) return escapeHtml(code);
  const kinds: [string, RegExp][] = [
    ['c', grammar.comment],
    ['s', grammar.text],
    ['k', grammar.word],
    ['n', NUMBER],
    ['f', CALL],
  ];
  let html = '';
  for (let at = 0; at < code.length; ) {
    const [kind, text] = tokenAt(code, at, kinds);
    html += kind === '' ? escapeHtml(text) : `<span class="${kind}">${escapeHtml(text)}</span>`;
    at += text.length;
  }
  return html;
}

function tokenAt(code: string, at: number, kinds: readonly [string, RegExp][]): [string, string] {
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = at;
    const text = pattern.exec(code)?.[0];
    if (text) return [kind, text];
  }
  PLAIN.lastIndex = at;
  return ['', PLAIN.exec(code)![0]];
}
