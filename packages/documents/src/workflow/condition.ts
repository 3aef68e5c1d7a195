/**
 * `if` of a stage: an expression over `workload`, the results of earlier stages and the values of its matrix.
 *
 * This file only collects the names: which stages are earlier is known once all edges are (readable-names.ts).
 */
import { compileExpression } from '@woof/expr';
import { type AdmitRule, encodeJson } from '@woof/net';
import { contentOffset } from '../yaml/scalar-source.ts';
import { errorSpan } from '../yaml/template-error.ts';
import { type Node, type ScalarNode, toJson } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Combination, Values } from './matrix.ts';
import type { Reading } from './reading.ts';
import { unknownKey } from './substitute.ts';

/** A string, or a name of the matrix that is not part of a longer path. */
const STRING_OR_NAME = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\w.])matrix\.(\w+)/g;

export interface Condition {
  /** For the step of one combination. */
  admitOf(step: string, combination: Combination | undefined): AdmitRule[];
}

export function takeCondition(
  reading: Reading,
  stage: string,
  node: Node | undefined,
  first: Combination | undefined,
): Condition | undefined {
  if (node === undefined) return undefined;
  if (node.type === 'scalar' && typeof node.value === 'boolean') return always(String(node.value));
  if (node.type !== 'scalar' || typeof node.value !== 'string' || node.value.trim() === '')
    return reading.refuseType(node, '`if`', 'a condition');
  const text = bare(node.value);
  check(reading, stage, node, fillIn(text, first?.values), first);
  const at = reading.source.position(contentOffset(node, reading.source.text));
  return {
    admitOf: (step, combination) => {
      reading.where.set(`${step}/admit/0/when`, at);
      return admit(fillIn(text, combination?.values));
    },
  };
}

const always = (text: string): Condition => ({ admitOf: () => admit(text) });
const admit = (text: string): AdmitRule[] => [{ when: `{{ ${text} }}`, allow: true }, { allow: false }];

/** With or without braces. */
function bare(text: string): string {
  const braced = /^\s*\{\{-?((?:(?!\}\}|\{\{)[\s\S])*?)-?\}\}\s*$/.exec(text);
  return (braced?.[1] ?? text).trim();
}

/** Replaces `matrix.x` by its value: when the condition is evaluated, the matrix no longer exists. */
function fillIn(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  return text.replaceAll(STRING_OR_NAME, (found, key?: string) => {
    const value = key === undefined ? undefined : values.get(key);
    return value === undefined ? found : encodeJson(toJson(value));
  });
}

function check(
  reading: Reading,
  stage: string,
  node: ScalarNode,
  text: string,
  first: Combination | undefined,
): void {
  const { errors, template } = compileExpression(text);
  // If braces were removed or matrix values filled in, columns in the text are no longer those of the source.
  const isVerbatim = text === node.value;
  for (const error of errors) {
    const at = isVerbatim ? errorSpan(reading.source, node, error) : reading.span(node);
    reading.report(problems.badCondition(at, error.message, error.hint));
  }
  const at = reading.span(node);
  const keys = [...(template?.paths.keys() ?? [])].flatMap((path) => /^matrix\.(\w+)/.exec(path)?.[1] ?? []);
  for (const key of keys) reading.report(unknownKey(at, key, first));
  for (const { path } of template?.reads ?? [])
    if (path[0] === 'workload' && path[1] !== undefined) reading.workloadReads.push({ key: path[1], at });
  for (const name of template?.names ?? []) {
    if (name !== 'matrix' || keys.length === 0) reading.reads.push({ stage, name, at });
  }
}
