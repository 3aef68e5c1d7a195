/** Templates inside a playbook: parsed when the playbook is read, so that no execution starts with an invalid one. */
import { compile, compileExpression, isTemplate, type TemplateError } from '@woof/expr';
import { describe } from '../yaml/reading.ts';
import { contentOffset } from '../yaml/scalar-source.ts';
import type { Span } from '../yaml/source.ts';
import { errorSpan } from '../yaml/template-error.ts';
import { eachScalar, type Node, type ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

type Compiled = ReturnType<typeof compile>;

/** Checks every template under a node and records its place under `path`. */
export function checkTemplates(reading: Reading, node: Node, path?: string): void {
  eachScalar(node, path ?? '', (scalar, at) =>
    checkTemplate(reading, scalar, path === undefined ? undefined : at),
  );
  refuseTemplateKeys(reading, node);
}

function refuseTemplateKeys(reading: Reading, node: Node): void {
  if (node.type === 'list') for (const item of node.items) refuseTemplateKeys(reading, item);
  if (node.type !== 'map') return;
  for (const { key, at, value } of node.entries.values()) {
    if (isTemplate(key)) reading.report(problems.templateKey(reading.span(at), key));
    refuseTemplateKeys(reading, value);
  }
}

function checkTemplate(reading: Reading, node: ScalarNode, path: string | undefined): void {
  if (typeof node.value !== 'string' || !isTemplate(node.value)) return;
  if (path !== undefined) reading.placeTemplate(path, node);
  if (reading.checked.has(node)) return;
  record(reading, node, compile(node.value));
}

/** A condition, written with or without braces; the plan always has it with them. */
export function takeGuard(reading: Reading, node: Node | undefined, path: string): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'scalar' && typeof node.value === 'boolean') return `{{ ${node.value} }}`;
  if (node.type !== 'scalar' || typeof node.value !== 'string' || node.value.trim() === '') {
    const expected = 'a condition in quotes';
    return reading.report(problems.wrongType(reading.span(node), '`when`', expected, describe(node)));
  }
  reading.placeTemplate(path, node);
  if (!isTemplate(node.value)) {
    if (!reading.checked.has(node)) record(reading, node, compileExpression(node.value));
    return `{{ ${node.value.trim()} }}`;
  }
  if (!reading.checked.has(node)) checkBraced(reading, node, node.value);
  return node.value;
}

function checkBraced(reading: Reading, node: ScalarNode, text: string): void {
  const compiled = compile(text);
  record(reading, node, compiled);
  const isText = compiled.template?.kind === 'text' && !/\{[%#]/.test(text);
  if (isText) reading.report(problems.guardText(reading.span(node)));
}

function record(reading: Reading, node: ScalarNode, compiled: Compiled): void {
  reading.checked.add(node);
  for (const error of compiled.errors)
    reading.report(describeError(error, errorSpan(reading.source, node, error)));
  if (!compiled.template) return;
  reading.needs.set(node, compiled.template.reads);
  const span = reading.source.span(contentOffset(node, reading.source.text), node.end);
  const paths = [...compiled.template.paths.keys()].map((path) => path.split('.'));
  const isRead = (name: string) => paths.some(([root]) => root === name);
  // A name that is read through a computed key has no path of its own.
  const roots = [...compiled.template.names].filter((name) => !isRead(name)).map((name) => [name]);
  for (const path of [...paths, ...roots]) reading.reads.push({ path, at: span });
}

function describeError(error: TemplateError, at: Span) {
  if (error.code === 'expr/unknown-filter') return problems.unknownFilter(at, error.message, error.hint);
  if (error.code === 'expr/unknown-test') return problems.unknownTest(at, error.message, error.hint);
  return problems.badTemplate(at, error.message, error.hint);
}
