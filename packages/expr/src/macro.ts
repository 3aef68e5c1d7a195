/** Owns: macros and callers: binding their parameters and running their bodies. Missing values may be passed in. */
import type { MacroSignature, Statement, StatementOf } from './ast.ts';
import { type CallArguments, Callable } from './callable.ts';
import type { CompileContext, Evaluator, Writer } from './compile-context.ts';
import { didYouMean } from './nearest.ts';
import type { Frame, Runtime } from './runtime.ts';
import { type Span, typeFault } from './template-error.ts';
import { TextBuffer } from './text-buffer.ts';
import { Dict, tupleOf, Undefined } from './values.ts';

const SPECIALS = ['caller', 'varargs', 'kwargs'];

interface MacroPlan {
  readonly name: string;
  readonly params: readonly string[];
  /** By parameter; JS undefined if it has no default. */
  readonly defaults: readonly (Evaluator | undefined)[];
  readonly specials: ReadonlySet<string>;
  readonly body: Writer;
}

export function compileMacro(context: CompileContext, statement: StatementOf<'macro'>): Writer {
  context.declare(statement.name);
  const make = compileMacroBody(context, statement.name, statement.signature, statement.body);
  return (frame) => frame.set(statement.name, make(frame));
}

export function compileMacroBody(
  context: CompileContext,
  name: string,
  { params, defaults }: MacroSignature,
  statements: readonly Statement[],
): (frame: Frame) => Macro {
  const names = [...params, ...SPECIALS];
  const { result, specials } = context.collectSpecials(() => ({
    body: context.block(names, statements),
    defaults: context.scoped(names, () => defaults.map((node) => context.expression(node))),
  }));
  const missing = params.length - defaults.length;
  const byParameter = params.map((_, index) => result.defaults[index - missing]);
  const plan = { name, params, defaults: byParameter, specials, body: result.body };
  return (frame) => new Macro(plan, frame);
}

class Macro extends Callable {
  readonly type = 'macro';
  readonly #plan: MacroPlan;
  readonly #frame: Frame;

  constructor(plan: MacroPlan, frame: Frame) {
    super();
    this.#plan = plan;
    this.#frame = frame;
    frame.keep();
  }

  override attribute(name: string): unknown {
    const { specials } = this.#plan;
    if (name === 'name') return this.#plan.name;
    if (name === 'arguments') return tupleOf(this.#plan.params);
    if (name === 'catch_kwargs') return specials.has('kwargs');
    if (name === 'catch_varargs') return specials.has('varargs');
    return name === 'caller' ? specials.has('caller') : undefined;
  }

  override call(rt: Runtime, args: CallArguments): string {
    rt.spend();
    const at = rt.at;
    const frame = this.#frame.inner();
    this.#bind(frame, args, at);
    return rt.enter(() => {
      const out = new TextBuffer();
      this.#plan.body(frame, out);
      return out.text;
    });
  }

  #bind(frame: Frame, args: CallArguments, at: Span): void {
    const named = new Map(args.keyword);
    this.#plan.params.forEach((param, index) => {
      if (index < args.positional.length && named.has(param)) throw this.#fail(`got "${param}" twice`);
      const value = index < args.positional.length ? args.positional[index] : named.get(param);
      named.delete(param);
      const fallback = (): unknown => this.#plan.defaults[index]?.(frame) ?? this.#notGiven(param, at);
      frame.set(param, value === undefined ? fallback() : value);
    });
    this.#bindSpecials(frame, args.positional.slice(this.#plan.params.length), named, at);
  }

  #bindSpecials(frame: Frame, rest: readonly unknown[], named: Map<string, unknown>, at: Span): void {
    const { specials, params } = this.#plan;
    if (specials.has('caller')) frame.set('caller', named.get('caller') ?? this.#notGiven('caller', at));
    if (specials.has('caller')) named.delete('caller');
    if (specials.has('varargs')) frame.set('varargs', tupleOf(rest));
    else if (rest.length > 0)
      throw this.#fail(`takes at most ${params.length} arguments, got ${params.length + rest.length}`);
    if (specials.has('kwargs')) frame.set('kwargs', Dict.from(named));
    else
      for (const name of named.keys())
        throw this.#fail(`has no argument "${name}"`, didYouMean(name, params));
  }

  #notGiven(param: string, at: Span): Undefined {
    return new Undefined(at, `the macro "${this.#plan.name}" was called without "${param}"`);
  }

  #fail(message: string, hint?: string): Error {
    return typeFault(`the macro "${this.#plan.name}" ${message}`, hint);
  }
}
