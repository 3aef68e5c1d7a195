/** The statements of a Python cell, each with the block that belongs to it. */
import { type PythonLine, type PythonToken, pythonLines } from './python-tokens.ts';

export interface PythonStatement {
  /** Of a compound statement, its head without the colon. */
  tokens: readonly PythonToken[];
  /** The block of a compound statement. */
  block?: PythonStatement[];
}

const HEADS = new Set('if elif else for while with try except finally def class match case'.split(' '));

/** Undefined where the text is not surely understood. */
export function pythonStatements(code: string): PythonStatement[] | undefined {
  const lines = pythonLines(code);
  return lines && new BlockReader(lines).read(0);
}

class BlockReader {
  #at = 0;

  constructor(readonly lines: readonly PythonLine[]) {}

  /** The statements of a block that is indented at least this far. */
  read(indent: number): PythonStatement[] {
    const found: PythonStatement[] = [];
    for (let line = this.lines[this.#at]; line && line.indent >= indent; line = this.lines[this.#at]) {
      this.#at++;
      found.push(...this.#statements(line));
    }
    return found;
  }

  #statements({ indent, tokens }: PythonLine): PythonStatement[] {
    const next = this.lines[this.#at];
    const block = next && next.indent > indent ? this.read(indent + 1) : [];
    const colon = block.length > 0 ? tokens.length - 1 : endOfHead(tokens);
    if (colon === -1) return split(tokens, ';').map((part) => ({ tokens: part }));
    const inline = split(tokens.slice(colon + 1), ';').flatMap((part) => ({ tokens: part }));
    const head = tokens[0]?.text === 'async' ? tokens.slice(1, colon) : tokens.slice(0, colon);
    return [{ tokens: head, block: [...inline, ...block] }];
  }
}

/** The colon that ends the head of a compound statement; -1 where it is none. */
function endOfHead(tokens: readonly PythonToken[]): number {
  const first = tokens[0]?.text === 'async' ? tokens[1] : tokens[0];
  if (first?.kind !== 'name' || !HEADS.has(first.text)) return -1;
  const isSoft = first.text === 'match' || first.text === 'case';
  let lambdas = 0;
  for (const [i, depth] of depths(tokens).entries()) {
    const { kind, text } = tokens[i]!;
    if (text === 'lambda' && kind === 'name') lambdas++;
    if (kind !== 'sign' || text !== ':' || depth > 0) continue;
    if (lambdas === 0) return isSoft && i === 1 ? -1 : i;
    lambdas--;
  }
  return -1;
}

/** The parts between signs that stand in no bracket; none is empty. */
export function split(tokens: readonly PythonToken[], sign: string): PythonToken[][] {
  const parts: PythonToken[][] = [[]];
  for (const [i, depth] of depths(tokens).entries()) {
    const token = tokens[i]!;
    if (depth === 0 && token.kind === 'sign' && token.text === sign) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

/** In how many brackets each token stands; the brackets themselves stand outside. */
export function depths(tokens: readonly PythonToken[]): number[] {
  let depth = 0;
  return tokens.map(({ kind, text }) => {
    if (kind !== 'sign') return depth;
    if (')]}'.includes(text)) return --depth;
    return '([{'.includes(text) ? depth++ : depth;
  });
}

/** The names that an assignment binds; undefined where the target is more than names. */
export function targetsOf(tokens: readonly PythonToken[]): string[] | undefined {
  const isPlain = tokens.every(({ kind, text }, i) => {
    if (kind === 'name') return tokens[i - 1]?.kind !== 'name';
    const isBehind = tokens[i - 1]?.kind === 'name' && '(['.includes(text);
    return kind === 'sign' && ['(', ')', '[', ']', ',', '*'].includes(text) && !isBehind;
  });
  return isPlain ? namesOf(tokens) : undefined;
}

export const namesOf = (tokens: readonly PythonToken[]) =>
  tokens.filter(({ kind }) => kind === 'name').map(({ text }) => text);
