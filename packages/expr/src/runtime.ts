/**
 * Owns: the state of one evaluation: the scope, the host, the remaining fuel, the position being evaluated. Invariants:
 * every loop, call and growing value is paid for before the work is done. `at` is set right before an operation that
 * can fail, so that a Fault gets its position without a try block in the hot path.
 */
import { type Allowance, DEFAULT_FUEL, PRODUCT_PER_OPERATION, sharedAllowance } from './allowance.ts';
import type { Builtin } from './builtin.ts';
import type { Reference } from './reference.ts';
import { Fault, fuelFault, type Span, written } from './template-error.ts';
import { Undefined } from './values.ts';

export interface Scope {
  /** JS undefined if there is no such name. */
  get(name: string): unknown;
  /** For these names, `name.data` and `name.result` fall back to the value itself if it has no such own key. */
  isResult?(name: string): boolean;
  /** What `name.results` falls back to if the value has no such own key: results by task label. */
  tasksOf?(name: string): unknown;
}

export interface Host {
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 to 1. Without it, the filter `random` fails. */
  random?(): number;
  /** The stored value behind a reference. */
  load?(reference: Reference): unknown;
  /** Stores a value, whatever its size. */
  store?(value: unknown): Reference;
  /** How many bytes the stored parts of one value may have in total; unlimited if absent. */
  loadableBytes?: number;
  /** The operations that an evaluation may perform. It may produce ten times as many characters and elements. */
  fuel?: number;
}

/** Filters and tests by name, for those that accept another's name: `map('upper')`, `select('odd')`, `is filter`. */
export interface Registry {
  hasFilter(name: string): boolean;
  /** Throws a Fault if there is no such filter. */
  filterNamed(name: string): Builtin;
  /** Throws a Fault if there is no such test. */
  testNamed(name: string): Builtin;
}

const MAX_CALLS = 100;

export class Runtime {
  readonly scope: Scope;
  readonly host: Host;
  readonly registry: Registry;
  at: Span;
  /** Set once `tojson` has run: the rendered text then stays text. */
  sawJson = false;
  #operations: number;
  #product: number;
  readonly #given: readonly [operations: number, product: number];
  readonly #allowance: Allowance | undefined;
  #calls = 0;

  constructor(scope: Scope, host: Host, registry: Registry, at: Span) {
    this.scope = scope;
    this.host = host;
    this.registry = registry;
    this.at = at;
    const fuel = host.fuel ?? DEFAULT_FUEL;
    const allowance = sharedAllowance();
    this.#allowance = allowance;
    this.#operations = allowance ? Math.min(fuel, allowance.operations) : fuel;
    this.#product = fuel * PRODUCT_PER_OPERATION;
    if (allowance) this.#product = Math.min(this.#product, allowance.product);
    this.#given = [this.#operations, this.#product];
  }

  /** Call when the evaluation is over: what it used is no longer there for others. */
  settle(): void {
    const [operations, product] = this.#given;
    const left = [Math.max(0, this.#operations), Math.max(0, this.#product)] as const;
    this.#allowance?.spend(operations - left[0], product - left[1]);
  }

  /** Pays for `count` operations. */
  spend(count = 1): void {
    this.#operations -= count;
    if (!(this.#operations >= 0)) throw this.#usedUp('takes too many operations');
  }

  /** Pays for one use of a filter, test or method. The cost grows with the length of texts. */
  spendOn(values: readonly unknown[]): void {
    let cost = 1;
    for (const value of values) if (typeof value === 'string') cost += value.length >> 4;
    this.spend(cost);
  }

  /** Pays for `count` characters or elements that are about to be made. */
  produce(count: number): void {
    this.#product -= count;
    if (!(this.#product >= 0)) throw this.#usedUp('creates a value that is too large');
  }

  #usedUp(what: string): Fault {
    const fuel = this.host.fuel ?? DEFAULT_FUEL;
    const [operations, product] = this.#given;
    const hadAll = operations === fuel && product === fuel * PRODUCT_PER_OPERATION;
    const shared = 'after the templates that were evaluated before it for the same step or task, ';
    return fuelFault(hadAll ? `this template ${what}` : `${shared}this template ${what}`);
  }

  /** Runs a macro's or a recursive loop's body one level deeper. */
  enter<T>(body: () => T): T {
    if (++this.#calls > MAX_CALLS) throw fuelFault(`calls nest deeper than ${MAX_CALLS}`);
    const result = body();
    this.#calls--;
    return result;
  }
}

/** The names that a template binds itself. One frame per block that has its own scope. */
export class Frame {
  readonly rt: Runtime;
  readonly parent: Frame | undefined;
  /** Most frames bind one name, which needs no map. */
  #name: string | undefined;
  #value: unknown;
  #others: Map<string, unknown> | undefined;
  #isKept = false;

  constructor(rt: Runtime, parent?: Frame) {
    this.rt = rt;
    this.parent = parent;
  }

  set(name: string, value: unknown): void {
    if (this.#name === undefined || this.#name === name) {
      this.#name = name;
      this.#value = value;
    } else {
      this.#others ??= new Map();
      this.#others.set(name, value);
    }
  }

  /** JS undefined if neither a frame nor the scope has the name. */
  lookup(name: string): unknown {
    for (let frame: Frame | undefined = this; frame; frame = frame.parent) {
      const value = frame.#name === name ? frame.#value : frame.#others?.get(name);
      if (value !== undefined) return value;
    }
    return this.rt.scope.get(name);
  }

  inner(): Frame {
    return new Frame(this.rt, this);
  }

  /** For the next round of a loop: a frame without names. It is this one unless something still reads through it. */
  next(): Frame {
    if (this.#isKept) return new Frame(this.rt, this.parent);
    this.#name = undefined;
    this.#value = undefined;
    this.#others = undefined;
    return this;
  }

  /** Call for something that may read names through this frame after its block has ended, such as a macro. */
  keep(): void {
    for (let frame: Frame | undefined = this; frame && !frame.#isKept; frame = frame.parent)
      frame.#isKept = true;
  }
}

/** Refuses a missing value if a value is needed. */
export function need(value: unknown): unknown {
  if (value instanceof Undefined) throw undefinedFault(value);
  return value;
}

export function undefinedFault(missing: Undefined): Fault {
  const name = `"${written(missing.span)}" is undefined`;
  return new Fault(
    'expr/undefined',
    missing.why ? `${name}: ${missing.why}` : name,
    missing.hint,
    missing.span,
  );
}
