/**
 * The pure rooms use nothing but their arguments: no clock, randomness, timer, process or network. They create no
 * promises either, unless an argument is one: tables that arrive as streams, messages whose plans are loaded. Types may
 * mention promises: ports that others implement return them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../..', import.meta.url));
const PURE = ['arrow', 'documents', 'expr', 'net', 'policy', 'protocol'];
const AWAITS_ARGUMENTS = new Set(['arrow', 'protocol']);

const OUTER =
  /^(process|performance|crypto|fetch|setTimeout|setInterval|setImmediate|queueMicrotask|require|XMLHttpRequest|WebSocket)$/;
const OUTER_MEMBERS = /^(Date\.now|Math\.random|Temporal\.Now)$/;

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const nameOf = (node: unknown): string =>
  isNode(node) && node.type === 'Identifier' ? String(node.name) : '';

/** What a node itself does that a pure room may not. */
function impurityOf(node: Node): 'outer' | 'promise' | undefined {
  const object = nameOf(node.object);
  if (node.type === 'MemberExpression') {
    if (OUTER.test(object) || OUTER_MEMBERS.test(`${object}.${nameOf(node.property)}`)) return 'outer';
    return object === 'Promise' ? 'promise' : undefined;
  }
  const callee = nameOf(node.callee);
  if (OUTER.test(callee) || (callee === 'Date' && (node.arguments as unknown[]).length === 0)) return 'outer';
  if (callee === 'Promise' || node.type === 'AwaitExpression' || node.async === true || node.await === true)
    return 'promise';
  return undefined;
}

const isType = ({ type }: Node) =>
  /^TS(TypeAnnotation|TypeParameter|Interface|TypeAlias)/.test(type) || type === 'TSTypeReference';

function impurities(node: Node, found: [string, number][] = []): [string, number][] {
  const kind = impurityOf(node);
  if (kind !== undefined) found.push([kind, node.start]);
  for (const part of Object.values(node).flat()) if (isNode(part) && !isType(part)) impurities(part, found);
  return found;
}

const impuritiesIn = (text: string) => impurities(parseAst(text, { lang: 'ts' }) as unknown as Node);

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|bench)\.ts$/.test(name))
    .map((name) => join(folder, name));

it.each(PURE)('%s is pure', (room) => {
  const bad = filesOf(join(packages, room, 'src')).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const lineOf = (at: number) => text.slice(0, at).split('\n').length;
    return impuritiesIn(text)
      .filter(([kind]) => kind === 'outer' || !AWAITS_ARGUMENTS.has(room))
      .map(([kind, at]) => `${relative(packages, file)}:${lineOf(at)} ${kind}`);
  });
  expect(bad).toEqual([]);
});

it('covers every room that ARCHITECTURE.md calls pure', () => {
  const text = readFileSync(join(packages, '..', 'ARCHITECTURE.md'), 'utf8');
  const called = [...text.matchAll(/^\| `packages\/([\w-]+)` \|.*\bPure\b/gm)].map(([, room]) => room);
  expect(called).toContain('net');
  expect(PURE).toEqual(expect.arrayContaining(called));
});

it.each([
  ['Date.now()', 'outer'],
  ['const clock = Date.now', 'outer'],
  ['new Date()', 'outer'],
  ['Date()', 'outer'],
  ['(x as number) + Math.random()', 'outer'],
  ['process.env.HOME', 'outer'],
  ['setTimeout(() => {}, 1)', 'outer'],
  ["fetch('x')", 'outer'],
  ['new Promise(() => {})', 'promise'],
  ['Promise.resolve(1)', 'promise'],
  ['async function f() {}', 'promise'],
  ['const f = async () => 1', 'promise'],
  ['class A { async f() {} }', 'promise'],
])('finds what is not pure: %s', (text, kind) => {
  expect(impuritiesIn(text).map(([found]) => found)).toEqual([kind]);
});

it('treats given times, types and texts as pure', () => {
  expect(
    impuritiesIn('interface Port { bring(): Promise<void> }\nconst at = new Date(0); "Date.now()"'),
  ).toEqual([]);
});
