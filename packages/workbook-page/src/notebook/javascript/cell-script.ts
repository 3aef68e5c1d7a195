/**
 * Turns a cell into a script that shares its names with the others, as the JavaScript kernel does.
 *
 * The text changes as little as possible, and no line moves. Top-level declarations become `var` (so that a cell may
 * run again), and the value of a last expression is passed to the page. A cell that awaits becomes an async function
 * whose names are declared outside it. Pages may not `eval`; the result is loaded as a script.
 */
import { partnersOf, type Statement, statementsOf } from './statements.ts';
import { type Token, tokensOf } from './tokens.ts';

/** Names under which a script finds the functions that it calls. */
export const SHOW = '__woof_show__';
export const AWAIT = '__woof_await__';

interface Edit {
  at: number;
  end: number;
  by: string;
}

export function cellScript(code: string): string {
  const tokens = tokensOf(code);
  const statements = statementsOf(tokens);
  if (statements === undefined) return code;
  const awaits = hasOuterAwait(tokens);
  const edits = statements.flatMap((statement) => (awaits ? assigning(statement) : declaring(statement)));
  const text = applied(code, [...edits, ...showing(statements.at(-1))]);
  return awaits ? asyncScript(text, statements) : text;
}

function asyncScript(text: string, statements: readonly Statement[]): string {
  const names = [...new Set(statements.flatMap(namesOf))];
  const functions = statements.filter(({ kind }) => kind === 'function').flatMap(namesOf);
  const declared = names.length > 0 ? `var ${names.join(',')};` : '';
  const given = functions.map((name) => `globalThis.${name}=${name};`).join('');
  return `${declared}${AWAIT}((async()=>{${given}${text}\n})())`;
}

function declaring({ kind, tokens }: Statement): Edit[] {
  const first = tokens[0]!;
  if (kind === 'variables' && first.text !== 'var')
    return [{ at: first.start, end: first.end, by: 'var'.padEnd(first.text.length) }];
  if (kind !== 'class') return [];
  const end = tokens.at(-1)!.end;
  return [
    { at: first.start, end: first.start, by: `var ${tokens[1]!.text} = ` },
    { at: end, end, by: ';' },
  ];
}

/** Names are declared outside the function, so here they are only assigned. */
function assigning({ kind, tokens }: Statement): Edit[] {
  const first = tokens[0]!;
  const end = tokens.at(-1)!.end;
  if (kind === 'variables') {
    return [
      { at: first.start, end: first.end, by: 'void (' },
      { at: end, end, by: ')' },
    ];
  }
  if (kind !== 'class') return [];
  return [
    { at: first.start, end: first.start, by: `${tokens[1]!.text} = ` },
    { at: end, end, by: ';' },
  ];
}

/** The value of the last expression, unless it is an assignment or a directive. */
function showing(last: Statement | undefined): Edit[] {
  if (last?.kind !== 'expression' || isDirective(last.tokens) || isAssignment(last.tokens)) return [];
  const [first, final] = [last.tokens[0]!, last.tokens.at(-1)!];
  return [
    { at: first.start, end: first.start, by: `${SHOW}((` },
    { at: final.end, end: final.end, by: '))' },
  ];
}

const isDirective = (tokens: readonly Token[]) => tokens.length === 1 && /^['"]use /.test(tokens[0]!.text);

const ASSIGNS = /^(?:=|(?:\*\*|[-+*/%&|^]|&&|\|\||\?\?|<<|>>>?)=)$/;

function isAssignment(tokens: readonly Token[]): boolean {
  if (partnersOf(tokens)!.get(0) === tokens.length - 1 && tokens[0]!.text === '(')
    return isAssignment(tokens.slice(1, -1));
  const outer = outerTokens(tokens);
  if (outer.some(({ type, text }) => type === 'sign' && text === ',')) return false;
  const arrow = outer.findIndex(({ text }) => text === '=>');
  const sign = outer.findIndex(({ type, text }) => type === 'sign' && ASSIGNS.test(text));
  return sign !== -1 && (arrow === -1 || sign < arrow);
}

/** Tokens that are not in brackets. */
function outerTokens(tokens: readonly Token[]): Token[] {
  const partner = partnersOf(tokens)!;
  const outer: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    outer.push(tokens[at]!);
    at = partner.get(at) ?? at;
  }
  return outer;
}

const HEADS = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'await']);

/** Whether it awaits outside functions; if that is unclear, true, which does no harm. */
function hasOuterAwait(tokens: readonly Token[]): boolean {
  const partner = partnersOf(tokens)!;
  const opener = new Map([...partner].map(([open, close]) => [close, open]));
  for (let at = 0; at < tokens.length; at++) {
    const { type, text } = tokens[at]!;
    const before = tokens[at - 1]?.text;
    if (type === 'word' && text === 'await' && before !== '.') return true;
    if (type !== 'sign' || text !== '{') continue;
    const head = before === ')' ? tokens[opener.get(at - 1)! - 1]?.text : undefined;
    if (before === '=>' || (head !== undefined && !HEADS.has(head))) at = partner.get(at)!;
  }
  return false;
}

/** The names that a top-level statement declares. */
function namesOf({ kind, tokens }: Statement): string[] {
  if (kind === 'variables') return boundNames(tokens.slice(1));
  if (kind === 'class') return [tokens[1]!.text];
  if (kind !== 'function') return [];
  const at = tokens.findIndex(({ text }) => text === 'function');
  const name = tokens[at + 1]?.text === '*' ? tokens[at + 2] : tokens[at + 1];
  return name?.type === 'word' ? [name.text] : [];
}

/** The names of `a = 1, {b, c: [d = 2]} = e`. */
function boundNames(tokens: readonly Token[]): string[] {
  return splitAtCommas(tokens).flatMap((part) => patternNames(part));
}

function patternNames(part: readonly Token[]): string[] {
  const [first, ...rest] = part;
  if (first === undefined) return [];
  if (first.text === '...') return patternNames(rest);
  const end = partnersOf(part)!.get(0);
  if (end !== undefined) {
    const inner = splitAtCommas(part.slice(1, end));
    return inner.flatMap((entry) => patternNames(first.text === '{' ? valueOfEntry(entry) : entry));
  }
  return first.type === 'word' ? [first.text] : [];
}

/** `key: pattern`, or only a name. */
function valueOfEntry(entry: readonly Token[]): readonly Token[] {
  const colon = outerIndex(entry, ':');
  return colon === -1 ? entry : entry.slice(colon + 1);
}

function outerIndex(tokens: readonly Token[], text: string): number {
  const partner = partnersOf(tokens)!;
  for (let at = 0; at < tokens.length; at = (partner.get(at) ?? at) + 1) {
    if (tokens[at]!.text === text) return at;
  }
  return -1;
}

function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  let rest = tokens;
  for (let at = outerIndex(rest, ','); at !== -1; at = outerIndex(rest, ',')) {
    parts.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...parts, [...rest]];
}

/** Several edits at one place keep the order in which they are given. */
function applied(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => a.at - b.at)
    .reduceRight((text, { at, end, by }) => text.slice(0, at) + by + text.slice(end), code);
}
