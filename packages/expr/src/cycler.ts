/** Owns: `cycler(…)` and `joiner(…)`. */
import { define } from './builtin.ts';
import { BuiltinFunction, Callable } from './callable.ts';
import { typeFault } from './template-error.ts';
import { Opaque } from './values.ts';

export class Cycler extends Opaque {
  readonly type = 'cycler';
  readonly #items: readonly unknown[];
  #at = 0;

  constructor(items: readonly unknown[]) {
    super();
    if (items.length === 0) throw typeFault('cycler() needs at least one value');
    this.#items = items;
  }

  override attribute(name: string): unknown {
    if (name === 'current') return this.#items[this.#at];
    if (name === 'next')
      return new BuiltinFunction(
        'next',
        define('', () => this.#next()),
      );
    if (name === 'reset')
      return new BuiltinFunction(
        'reset',
        define('', () => this.#reset()),
      );
    return undefined;
  }

  #next(): unknown {
    const item = this.#items[this.#at];
    this.#at = (this.#at + 1) % this.#items.length;
    return item;
  }

  #reset(): null {
    this.#at = 0;
    return null;
  }
}

/** Returns an empty text on the first call, then its separator. */
export class Joiner extends Callable {
  readonly type = 'joiner';
  readonly #separator: string;
  #used = false;

  constructor(separator: string) {
    super();
    this.#separator = separator;
  }

  override call(): string {
    const first = !this.#used;
    this.#used = true;
    return first ? '' : this.#separator;
  }
}
