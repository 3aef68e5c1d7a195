/**
 * Python tokens as statements. Owns: which statements run with the cell and which only when a function is called.
 * A compound statement on one line is two: its head, and what follows the colon.
 */
import type { PythonToken } from './python-tokens.ts';

export interface PythonStatement {
  tokens: PythonToken[];
  /** Inside the body of a function, so it does not run with the cell. */
  isDeferred: boolean;
  /** At module level: other cells see the names that it binds. */
  isTop: boolean;
}

const HEADS = new Set([
  ...['if', 'elif', 'else', 'for', 'while', 'with', 'try', 'except', 'finally', 'def', 'class', 'async'],
  ...['match', 'case'],
]);
const OPENING = '([{';
const CLOSING = ')]}';

export function pythonStatements(tokens: readonly PythonToken[]): PythonStatement[] {
  const statements: PythonStatement[] = [];
  const blocks: { indent: number; kind: 'def' | 'class' }[] = [];
  for (const line of logicalLines(tokens)) {
    const indent = line[0]!.indent ?? 0;
    while ((blocks.at(-1)?.indent ?? -1) >= indent) blocks.pop();
    const scope = () => ({
      isDeferred: blocks.some(({ kind }) => kind === 'def'),
      isTop: blocks.length === 0,
    });
    const { head, rest } = cutHead(line);
    statements.push({ tokens: head, ...scope() });
    const kind = scopeKind(head);
    if (kind) blocks.push({ indent, kind });
    for (const part of cutAt(rest, ';')) statements.push({ tokens: part, ...scope() });
  }
  return statements.filter((statement) => statement.tokens.length > 0);
}

function logicalLines(tokens: readonly PythonToken[]): PythonToken[][] {
  const lines: PythonToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'newline') lines.push([]);
    else lines.at(-1)!.push(token);
  }
  return lines.filter((line) => line.length > 0);
}

function cutHead(line: PythonToken[]): { head: PythonToken[]; rest: PythonToken[] } {
  const colon = HEADS.has(line[0]!.text) ? headColon(line) : -1;
  if (colon !== -1) return { head: line.slice(0, colon + 1), rest: line.slice(colon + 1) };
  const [head = [], ...others] = cutAt(line, ';');
  return { head, rest: others.flatMap((part) => [...part, { kind: 'sign', text: ';', at: 0 } as const]) };
}

/** The colon that ends the head of a block: not in brackets, and not a lambda's. */
function headColon(line: readonly PythonToken[]): number {
  let lambdas = 0;
  let depth = 0;
  for (const [i, { kind, text }] of line.entries()) {
    if (text === 'lambda') lambdas++;
    if (kind !== 'sign') continue;
    depth += depthChange(text);
    if (text !== ':' || depth > 0) continue;
    if (lambdas === 0) return i;
    lambdas--;
  }
  return -1;
}

function cutAt(tokens: readonly PythonToken[], sign: string): PythonToken[][] {
  const parts: PythonToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'sign' && token.text === sign) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts;
}

function scopeKind(head: readonly PythonToken[]): 'def' | 'class' | undefined {
  const words = head.slice(0, 2).map(({ text }) => text);
  if (words[0] === 'def' || (words[0] === 'async' && words[1] === 'def')) return 'def';
  return words[0] === 'class' ? 'class' : undefined;
}

export function depthChange(text: string): number {
  if (text.length !== 1) return 0;
  return OPENING.includes(text) ? 1 : CLOSING.includes(text) ? -1 : 0;
}
