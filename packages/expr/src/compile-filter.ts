/** Owns: filters and tests in expressions. Their names and arguments are checked at compile time. */
import type { Arguments, ExpressionOf, FilterStep } from './ast.ts';
import { type Builtin, bind } from './builtin.ts';
import { invoke } from './callable.ts';
import { compileArguments } from './compile-call.ts';
import type { CompileContext, Evaluator } from './compile-context.ts';
import { filterNamed } from './filters/index.ts';
import { isReference, storedFieldLength } from './reference.ts';
import { need } from './runtime.ts';
import { Fault, type Span } from './template-error.ts';
import { testNamed } from './tests.ts';

const FILTERS_FOR_ABSENT: ReadonlySet<string> = new Set(['default', 'd']);
const TESTS_FOR_ABSENT: ReadonlySet<string> = new Set(['defined', 'undefined']);

export function compileFilter(context: CompileContext, node: ExpressionOf<'filter'>): Evaluator {
  if (FILTERS_FOR_ABSENT.has(node.name)) context.allowAbsent(node.subject);
  const filter = placed(node, () => filterNamed(node.name));
  const subject = filter.asStored ? context.expression(node.subject) : context.value(node.subject);
  const use = applyFilter(context, subject, node);
  return knownLength(context, node, use) ?? use;
}

/** If the reference's hint knows a field's length, the stored value is not read. */
function knownLength(
  context: CompileContext,
  { name, subject }: ExpressionOf<'filter'>,
  use: Evaluator,
): Evaluator | undefined {
  if ((name !== 'length' && name !== 'count') || subject.type !== 'attribute') return undefined;
  const object = context.part(subject.object);
  return (frame) => {
    const whole = object(frame);
    const length = isReference(whole) ? storedFieldLength(whole, subject.name) : undefined;
    return length ?? use(frame);
  };
}

/** Applies one filter to the result of `subject`. Filter blocks use it too. */
export function applyFilter(context: CompileContext, subject: Evaluator, step: FilterStep): Evaluator {
  const filter = placed(step, () => filterNamed(step.name));
  return compileUse(context, `the filter "${step.name}"`, filter, subject, step.args, step);
}

export function compileTest(context: CompileContext, node: ExpressionOf<'test'>): Evaluator {
  if (TESTS_FOR_ABSENT.has(node.name)) context.allowAbsent(node.subject);
  const test = placed(node, () => testNamed(node.name));
  const subject = test.asStored ? context.expression(node.subject) : context.value(node.subject);
  const use = compileUse(context, `the test "${node.name}"`, test, subject, node.args, node);
  return node.negated ? (frame) => !use(frame) : use;
}

function compileUse(
  context: CompileContext,
  what: string,
  builtin: Builtin,
  subject: Evaluator,
  args: Arguments,
  at: Span,
): Evaluator {
  if (args.star || args.doubleStar) return compileOpenUse(context, what, builtin, subject, args, at);
  const positional = args.positional.map((node) => context.value(node));
  const keyword = args.keyword.map(([name, node]) => [name, context.value(node)] as const);
  const { fixed, rest } = placed(at, () => bind(what, builtin.signature, positional, keyword));
  const check = builtin.lenient ? (value: unknown) => value : need;
  return (frame) => {
    const { rt } = frame;
    const values: unknown[] = [check(subject(frame))];
    for (const part of fixed) values.push(part && check(part(frame)));
    if (rest) {
      values.push(rest.positional.map((part) => check(part(frame))));
      values.push(rest.keyword.map(([name, part]) => [name, check(part(frame))]));
    }
    rt.at = at;
    rt.spendOn(values);
    return builtin.run(rt, ...values);
  };
}

/** With `*args`, the parameters are known only at run time. */
function compileOpenUse(
  context: CompileContext,
  what: string,
  builtin: Builtin,
  subject: Evaluator,
  args: Arguments,
  at: Span,
): Evaluator {
  const all = compileArguments(context, args);
  return (frame) => {
    const value = subject(frame);
    const values = all(frame);
    frame.rt.at = at;
    return invoke(frame.rt, what, builtin, [builtin.lenient ? value : need(value)], values);
  };
}

/** Adds the position to a Fault during compilation. */
function placed<T>(at: Span, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Fault && !error.at)
      throw new Fault(error.code, error.message, error.hint, at, error.cause);
    throw error;
  }
}
