/**
 * Owns: expression → closure. Names that the template does not bind itself are read directly from the scope, by
 * reference, so the size of the context does not matter.
 */
import { getAttribute, getItem, type MemberSpan, missing, slice } from './access.ts';
import type { CompareOperator, Expression, ExpressionOf } from './ast.ts';
import { compareWith, truthOf } from './compare.ts';
import { compileCall } from './compile-call.ts';
import type { CompileContext, Evaluator } from './compile-context.ts';
import { compileFilter, compileTest } from './compile-filter.ts';
import { filterNamed } from './filters/index.ts';
import { globalNamed } from './globals.ts';
import { isNumber, negate } from './numbers.ts';
import { binary } from './operators.ts';
import { isReference } from './reference.ts';
import { need, type Runtime } from './runtime.ts';
import { hasStoredField, settle } from './settle.ts';
import { standInOf } from './stand-in.ts';
import { type Span, typeFault } from './template-error.ts';
import { toText } from './text.ts';
import {
  Dict,
  dictHas,
  isAbsent,
  isDict,
  isHashable,
  listOf,
  tupleOf,
  typeName,
  Undefined,
} from './values.ts';

export function compileExpression(context: CompileContext, node: Expression): Evaluator {
  const part = compilePart(context, node);
  if (node.type !== 'name' && node.type !== 'attribute' && node.type !== 'item') return part;
  context.readPath(node);
  return rootOf(node) === KEYCHAIN && !context.bound.has(KEYCHAIN) ? atItsEnd(part) : part;
}

/** For code that looks into the value: no part of the result is a reference. */
export function compileValue(context: CompileContext, node: Expression): Evaluator {
  const evaluate = compileExpression(context, node);
  return mayBeStored(node) ? (frame) => settle(frame.rt, evaluate(frame), node) : evaluate;
}

/** Operators, tests and most filters make new values from settled values. */
function mayBeStored(node: Expression): boolean {
  switch (node.type) {
    case 'name':
    case 'attribute':
    case 'item':
    case 'logic':
    case 'ternary':
      return true;
    case 'filter':
      return filterNamed(node.name).asStored === true;
    default:
      return false;
  }
}
/** The only name whose maps stand for something else. */
const KEYCHAIN = 'keychain';

function rootOf(node: Expression): string | undefined {
  if (node.type === 'name') return node.name;
  return node.type === 'attribute' || node.type === 'item' ? rootOf(node.object) : undefined;
}

const atItsEnd =
  (path: Evaluator): Evaluator =>
  (frame) => {
    const value = path(frame);
    return standInOf(value)?.value ?? value;
  };

/** Like compileExpression, for the inner parts of a path that is already recorded. */
export function compilePart(context: CompileContext, node: Expression): Evaluator {
  switch (node.type) {
    case 'const':
      return constant(node.value);
    case 'name':
      return compileName(context, node);
    case 'attribute':
      return compileAttribute(context, node);
    case 'item':
      return compileItem(context, node);
    case 'slice':
      return compileSlice(context, node);
    case 'list':
      return compileItems(context, node.items, listOf);
    case 'tuple':
      return compileItems(context, node.items, tupleOf);
    case 'dict':
      return compileDict(context, node);
    case 'call':
      return compileCall(context, node);
    case 'filter':
      return compileFilter(context, node);
    case 'test':
      return compileTest(context, node);
    case 'unary':
      return compileUnary(context, node);
    case 'binary':
      return compileBinary(context, node);
    case 'concat':
      return compileConcat(context, node);
    case 'logic':
      return compileLogic(context, node);
    case 'compare':
      return compileCompare(context, node);
    case 'ternary':
      return compileTernary(context, node);
  }
}

const constant =
  (value: unknown): Evaluator =>
  () =>
    value;

function compileName(context: CompileContext, node: ExpressionOf<'name'>): Evaluator {
  const { name } = node;
  context.read(name);
  const known = (value: unknown): unknown => {
    if (!isAbsent(value)) return value;
    return globalNamed(name) ?? new Undefined(node);
  };
  if (context.bound.has(name)) return (frame) => known(frame.lookup(name));
  return (frame) => known(frame.rt.scope.get(name));
}

function compileAttribute(context: CompileContext, node: ExpressionOf<'attribute'>): Evaluator {
  const { name } = node;
  const object = compileObject(context, node.object);
  const plain: Evaluator = (frame) => getAttribute(frame.rt, object(frame), name, node);
  return resultFallback(context, node.object, name, node, object) ?? plain;
}

/** The inner part of a path, or a separate expression. */
function compileObject(context: CompileContext, node: Expression): Evaluator {
  const path = node.type === 'name' || node.type === 'attribute' || node.type === 'item';
  return path ? compilePart(context, node) : compileExpression(context, node);
}

/** Without such a key, `step.data` and `step.result` are the step's result, `step.results` those of its tasks. */
function resultFallback(
  context: CompileContext,
  root: Expression,
  key: string,
  node: MemberSpan,
  object: Evaluator,
): Evaluator | undefined {
  if (root.type !== 'name' || context.bound.has(root.name)) return undefined;
  const { name } = root;
  if (key === 'results')
    return (frame) => {
      const value = object(frame);
      const { rt } = frame;
      const has = isReference(value)
        ? hasStoredField(rt, value, key, root)
        : isDict(value) && dictHas(value, key);
      const tasks = has ? undefined : rt.scope.tasksOf?.(name);
      return tasks ?? getAttribute(rt, value, key, node);
    };
  if (key !== 'data' && key !== 'result') return undefined;
  return (frame) => {
    const value = object(frame);
    const { rt } = frame;
    if (value instanceof Undefined || !rt.scope.isResult?.(name)) return getAttribute(rt, value, key, node);
    const has = isReference(value)
      ? hasStoredField(rt, value, key, root)
      : isDict(value) && dictHas(value, key);
    return has ? getAttribute(rt, value, key, node) : value;
  };
}

function compileItem(context: CompileContext, node: ExpressionOf<'item'>): Evaluator {
  const object = compileObject(context, node.object);
  if (node.key.type === 'const') {
    const key = node.key.value;
    const plain: Evaluator = (frame) => getItem(frame.rt, object(frame), key, node);
    return (typeof key === 'string' && resultFallback(context, node.object, key, node, object)) || plain;
  }
  const key = compileValue(context, node.key);
  return (frame) => {
    const container = object(frame);
    const found = key(frame);
    if (found instanceof Undefined) return missing(container, found, node);
    return getItem(frame.rt, container, found, node);
  };
}

function compileSlice(context: CompileContext, node: ExpressionOf<'slice'>): Evaluator {
  const object = compileValue(context, node.object);
  const parts = node.parts.map((part) => part && compileValue(context, part));
  return (frame) => {
    const value = object(frame);
    const edges = parts.map((part) => part && need(part(frame)));
    frame.rt.at = node;
    return slice(frame.rt, value, edges, node);
  };
}

function compileItems(
  context: CompileContext,
  items: readonly Expression[],
  make: (items: Iterable<unknown>) => unknown,
): Evaluator {
  const parts = items.map((item) => compileValue(context, item));
  return (frame) => {
    frame.rt.spend(parts.length);
    frame.rt.produce(parts.length);
    return make(parts.map((part) => part(frame)));
  };
}

function compileDict(context: CompileContext, node: ExpressionOf<'dict'>): Evaluator {
  const pairs = node.pairs.map(
    ([key, value]) => [compileValue(context, key), compileValue(context, value)] as const,
  );
  return (frame) => {
    frame.rt.spend(pairs.length);
    frame.rt.produce(pairs.length);
    const dict = new Dict();
    for (const [key, value] of pairs) dict.set(hashable(frame.rt, need(key(frame)), node), value(frame));
    return dict;
  };
}

function hashable(rt: Runtime, key: unknown, at: Span): unknown {
  if (isHashable(key)) return key;
  rt.at = at;
  throw typeFault(`a ${typeName(key)} cannot be the key of a dict`);
}

function compileUnary(context: CompileContext, node: ExpressionOf<'unary'>): Evaluator {
  if (node.operator === 'not') {
    const tested = compileExpression(context, node.operand);
    return (frame) => !truthOf(frame.rt, tested(frame));
  }
  const operand = compileValue(context, node.operand);
  const apply = node.operator === '-' ? negate : plus;
  return (frame) => {
    const value = need(operand(frame));
    frame.rt.at = node;
    return apply(value);
  };
}

function plus(value: unknown): unknown {
  if (!isNumber(value)) throw typeFault(`cannot apply + to ${typeName(value)}`);
  return typeof value === 'boolean' ? Number(value) : value;
}

function compileBinary(context: CompileContext, node: ExpressionOf<'binary'>): Evaluator {
  const left = compileValue(context, node.left);
  const right = compileValue(context, node.right);
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    frame.rt.at = node;
    return binary(frame.rt, node.operator, a, b);
  };
}

function compileConcat(context: CompileContext, node: ExpressionOf<'concat'>): Evaluator {
  const items = node.items.map((item) => compileValue(context, item));
  return (frame) => {
    let text = '';
    for (const item of items) {
      const part = toText(frame.rt, need(item(frame)));
      frame.rt.at = node;
      frame.rt.spend();
      text += part;
    }
    frame.rt.produce(text.length);
    return text;
  };
}

function compileLogic(context: CompileContext, node: ExpressionOf<'logic'>): Evaluator {
  const left = compileExpression(context, node.left);
  const right = compileExpression(context, node.right);
  if (node.operator === 'and') {
    return (frame) => {
      const value = left(frame);
      return truthOf(frame.rt, value) ? right(frame) : value;
    };
  }
  return (frame) => {
    const value = left(frame);
    return truthOf(frame.rt, value) ? value : right(frame);
  };
}

function compileCompare(context: CompileContext, node: ExpressionOf<'compare'>): Evaluator {
  const first = compileValue(context, node.first);
  const rest = node.rest.map(([operator, operand]) => [operator, compileValue(context, operand)] as const);
  const [operator, second] = rest[0]!;
  if (rest.length === 1) return (frame) => compareAt(frame.rt, operator, first(frame), second(frame), node);
  return (frame) => {
    let left = first(frame);
    for (const [next, operand] of rest) {
      const right = operand(frame);
      if (!compareAt(frame.rt, next, left, right, node)) return false;
      left = right;
    }
    return true;
  };
}

function compareAt(rt: Runtime, operator: CompareOperator, a: unknown, b: unknown, at: Span): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    if (operator === '<') return a < b;
    if (operator === '==') return a === b;
  }
  rt.at = at;
  return compareWith(rt, operator, a, b);
}

function compileTernary(context: CompileContext, node: ExpressionOf<'ternary'>): Evaluator {
  const test = compileExpression(context, node.test);
  const then = compileExpression(context, node.then);
  const otherwise = node.otherwise && compileExpression(context, node.otherwise);
  return (frame) => {
    if (truthOf(frame.rt, test(frame))) return then(frame);
    if (otherwise) return otherwise(frame);
    return new Undefined(
      node,
      'the condition is false and there is no else',
      'add "else" with a value',
      true,
    );
  };
}
