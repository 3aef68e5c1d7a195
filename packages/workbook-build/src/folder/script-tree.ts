/** The syntax tree of a JavaScript text, and the few queries that inlining needs. */
import { parseAst } from 'rolldown/parseAst';

export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export class BadSyntax extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

export function parseScript(code: string, path: string, isModule: boolean): SyntaxNode {
  const ending = /\.([cm]?[jt]sx?)$/i.exec(path)?.[1]?.toLowerCase().replace(/^[cm]/, '') ?? 'js';
  const lang = ending as 'js' | 'jsx' | 'ts' | 'tsx';
  try {
    // Oxc reports offsets in UTF-16 units, as JavaScript counts.
    return parseAst(code, { lang, sourceType: isModule ? 'module' : 'script' }) as unknown as SyntaxNode;
  } catch (error) {
    const { message, pos } = error as Error & { pos?: number };
    throw new BadSyntax(message.split('\n')[1] ?? message, pos ?? 0);
  }
}

/** Every node, without recursion, because programs may nest without limit. */
export function* nodesOf(root: SyntaxNode): Generator<SyntaxNode> {
  const stack: unknown[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (const item of value) stack.push(item ?? null);
      continue;
    }
    const node = value as SyntaxNode;
    if (typeof node.type === 'string') yield node;
    for (const key in node) if (typeof node[key] === 'object') stack.push(node[key] ?? null);
  }
}

interface Quasi {
  value: { cooked?: string };
}

/** The text of a literal, including a template without placeholders. */
export function literalOf(node: unknown): string | undefined {
  const { type, value, quasis } = (node ?? {}) as { type?: string; value?: unknown; quasis?: Quasi[] };
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type !== 'TemplateLiteral' || quasis?.length !== 1) return undefined;
  return quasis[0]!.value.cooked;
}

/** The beginning of an address whose rest is computed at run time: `https://x/${id}`, `'https://x/' + id`. */
export function beginningOf(node: unknown): string {
  const each = (node ?? {}) as { type?: string; quasis?: Quasi[]; left?: unknown };
  if (each.type === 'TemplateLiteral') return each.quasis?.[0]?.value.cooked ?? '';
  if (each.type === 'BinaryExpression') return beginningOf(each.left);
  return literalOf(node) ?? '';
}

/** `a`, `a.b`, `a.b.c` of plain names. */
export function nameOf(node: unknown): string {
  const each = (node ?? {}) as SyntaxNode & { name?: string; object?: unknown; property?: unknown };
  if (each.type === 'Identifier') return each.name ?? '';
  if (each.type === 'MetaProperty') return 'import.meta';
  if (each.type !== 'MemberExpression' || each.computed === true) return '';
  const [object, property] = [nameOf(each.object), nameOf(each.property)];
  return object === '' ? '' : `${object}.${property}`;
}
