/** Owns: what a template may call: built-in functions and the callables that templates define. */
import { type Builtin, bind, spread } from './builtin.ts';
import { need, type Runtime } from './runtime.ts';
import { typeFault } from './template-error.ts';
import { Opaque, typeName } from './values.ts';

export interface CallArguments {
  readonly positional: readonly unknown[];
  readonly keyword: readonly (readonly [string, unknown])[];
}

export abstract class Callable extends Opaque {
  abstract call(rt: Runtime, args: CallArguments): unknown;
}

export class BuiltinFunction extends Callable {
  readonly type = 'function';
  readonly #name: string;
  readonly #builtin: Builtin;

  constructor(name: string, builtin: Builtin) {
    super();
    this.#name = name;
    this.#builtin = builtin;
  }
  override call(rt: Runtime, args: CallArguments): unknown {
    return invoke(rt, `${this.#name}()`, this.#builtin, [], args);
  }
  override text(): string {
    return `<function ${this.#name}>`;
  }
}

/** Binding the parameters on every call takes longer than the work of most builtins. */
const BINDING_COST = 5;

/** Runs a builtin on values: `subject` precedes the bound arguments. */
export function invoke(
  rt: Runtime,
  what: string,
  builtin: Builtin,
  subject: readonly unknown[],
  args: CallArguments,
): unknown {
  rt.spend(BINDING_COST);
  rt.spendOn(subject);
  rt.spendOn(args.positional);
  if (!builtin.lenient) {
    for (const value of args.positional) need(value);
    for (const [, value] of args.keyword) need(value);
  }
  const bound = bind(what, builtin.signature, args.positional, args.keyword);
  return builtin.run(rt, ...subject, ...spread(bound));
}

export function callValue(rt: Runtime, callee: unknown, args: CallArguments, written: string): unknown {
  if (need(callee) instanceof Callable) return (callee as Callable).call(rt, args);
  throw typeFault(`"${written}" is a ${typeName(callee)} and cannot be called`);
}
