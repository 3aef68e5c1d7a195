/**
 * Owns: calls. In `a.name(…)`, the method of a's type takes precedence over a key of that name. Methods exist only in
 * the tables of methods/, so nothing of JavaScript can be called. In `range(…)`, the built-in takes precedence over the
 * scope.
 */
import { getAttribute } from './access.ts';
import type { Arguments, ExpressionOf } from './ast.ts';
import { type CallArguments, callValue, invoke } from './callable.ts';
import type { CompileContext, Evaluator } from './compile-context.ts';
import { globalNamed } from './globals.ts';
import { iterate } from './iterate.ts';
import { methodNames, methodOf } from './methods/index.ts';
import { didYouMean } from './nearest.ts';
import { type Frame, need } from './runtime.ts';
import { typeFault } from './template-error.ts';
import { dictEntries, isDict, Opaque, typeName, Undefined } from './values.ts';

export type ArgumentsEvaluator = (frame: Frame) => CallArguments;

export function compileArguments(context: CompileContext, args: Arguments): ArgumentsEvaluator {
  const positional = args.positional.map((node) => context.value(node));
  const keyword = args.keyword.map(([name, node]) => [name, context.value(node)] as const);
  const star = args.star && context.value(args.star);
  const doubleStar = args.doubleStar && context.value(args.doubleStar);
  return (frame) => {
    const values = positional.map((part) => part(frame));
    const named = keyword.map(([name, part]): [string, unknown] => [name, part(frame)]);
    if (star) values.push(...iterate(frame.rt, star(frame)));
    if (doubleStar) named.push(...keywordsOf(doubleStar(frame)));
    return { positional: values, keyword: named };
  };
}

function keywordsOf(value: unknown): [string, unknown][] {
  if (!isDict(need(value))) throw typeFault(`** needs a dict, got ${typeName(value)}`);
  return dictEntries(value as Record<string, unknown>).map(([key, item]) => [String(key), item]);
}

export function compileCall(context: CompileContext, node: ExpressionOf<'call'>): Evaluator {
  const args = compileArguments(context, node.args);
  if (node.callee.type === 'attribute') return compileMethodCall(context, node.callee, node, args);
  const builtin =
    node.callee.type === 'name' && !context.bound.has(node.callee.name)
      ? globalNamed(node.callee.name)
      : undefined;
  const callee = builtin ? () => builtin : context.value(node.callee);
  const written = node.source.slice(node.callee.start, node.callee.end);
  return (frame) => {
    const target = need(callee(frame));
    const values = args(frame);
    frame.rt.at = node;
    return callValue(frame.rt, target, values, written);
  };
}

function compileMethodCall(
  context: CompileContext,
  callee: ExpressionOf<'attribute'>,
  node: ExpressionOf<'call'>,
  args: ArgumentsEvaluator,
): Evaluator {
  const object = context.value(callee.object);
  const { name } = callee;
  return (frame) => {
    const subject = object(frame);
    const method = subject instanceof Opaque ? undefined : methodOf(need(subject), name);
    if (method) {
      const values = args(frame);
      frame.rt.at = node;
      return invoke(frame.rt, `${typeName(subject)}.${name}()`, method, [subject], values);
    }
    const value = getAttribute(frame.rt, subject, name, callee);
    frame.rt.at = callee;
    const methodless = value instanceof Undefined && !isDict(subject) && !(subject instanceof Opaque);
    if (methodless) throw noMethod(subject, name);
    const values = args(frame);
    frame.rt.at = node;
    return callValue(frame.rt, value, values, name);
  };
}

function noMethod(subject: unknown, name: string): Error {
  return typeFault(`a ${typeName(subject)} has no method "${name}"`, didYouMean(name, methodNames(subject)));
}
