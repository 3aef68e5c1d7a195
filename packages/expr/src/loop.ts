/** Owns: the `loop` object of a for body. */

import { define } from './builtin.ts';
import { BuiltinFunction, type CallArguments, Callable } from './callable.ts';
import { equal } from './compare.ts';
import type { Runtime } from './runtime.ts';
import { type Span, typeFault } from './template-error.ts';
import { type Tuple, tupleOf, Undefined } from './values.ts';

export class Loop extends Callable {
  readonly type = 'loop';
  index = 0;
  readonly #items: readonly unknown[];
  readonly #depth: number;
  readonly #span: Span;
  readonly #recurse: ((items: unknown) => string) | undefined;
  #last: Tuple | undefined;

  constructor(
    items: readonly unknown[],
    depth: number,
    span: Span,
    recurse: ((items: unknown) => string) | undefined,
  ) {
    super();
    this.#items = items;
    this.#depth = depth;
    this.#span = span;
    this.#recurse = recurse;
  }

  override call(_rt: Runtime, args: CallArguments): unknown {
    if (!this.#recurse)
      throw typeFault('this loop is not recursive', 'write "recursive" at the end of its for tag');
    if (args.positional.length !== 1)
      throw typeFault(`loop() takes one argument, got ${args.positional.length}`);
    return this.#recurse(args.positional[0]);
  }

  override attribute(name: string): unknown {
    const { index } = this;
    const count = this.#items.length;
    switch (name) {
      case 'index':
        return index + 1;
      case 'index0':
        return index;
      case 'revindex':
        return count - index;
      case 'revindex0':
        return count - index - 1;
      case 'first':
        return index === 0;
      case 'last':
        return index === count - 1;
      case 'length':
        return count;
      case 'depth':
        return this.#depth + 1;
      case 'depth0':
        return this.#depth;
      case 'previtem':
        return index > 0 ? this.#items[index - 1] : this.#none('previtem', 'first');
      case 'nextitem':
        return index < count - 1 ? this.#items[index + 1] : this.#none('nextitem', 'last');
      case 'cycle':
        return new BuiltinFunction(
          'loop.cycle',
          define('*', (_rt, values) => this.#cycle(values as unknown[])),
        );
      case 'changed':
        return new BuiltinFunction(
          'loop.changed',
          define('*', (rt, values) => this.#changed(rt, values as unknown[])),
        );
      default:
        return undefined;
    }
  }

  #none(name: string, item: string): Undefined {
    return new Undefined(this.#span, `this is the ${item} item, so there is no loop.${name}`);
  }

  #cycle(values: readonly unknown[]): unknown {
    if (values.length === 0) throw typeFault('loop.cycle() needs at least one value');
    return values[this.index % values.length];
  }

  #changed(rt: Runtime, values: readonly unknown[]): boolean {
    const now = tupleOf(values);
    const same = this.#last !== undefined && equal(rt, this.#last, now);
    this.#last = now;
    return !same;
  }
}
