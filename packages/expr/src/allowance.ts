/**
 * What evaluations that belong together may use in total, such as the guards of a step or the rules of a task. Each also
 * has its own limits, but a document may contain hundreds, and nothing else runs in the meantime.
 */

/** The operations of one evaluation. */
export const DEFAULT_FUEL = 1_000_000;
/** It may produce this many characters and elements per operation. */
export const PRODUCT_PER_OPERATION = 10;
/** How many evaluations may perform all of their operations. */
const OPERATIONS = 4 * DEFAULT_FUEL;
/** To create much is cheap, and one field of a task may have templates that create 128 MiB together. */
const PRODUCT = 160_000_000;

export class Allowance {
  operations = OPERATIONS;
  product: number;

  constructor(private readonly mostProduct = PRODUCT) {
    this.product = mostProduct;
  }

  spend(operations: number, product: number): void {
    this.operations -= operations;
    this.product -= product;
  }

  /** Characters and elements that were created. */
  get produced(): number {
    return this.mostProduct - this.product;
  }

  /** From 0 to 1: all of it. */
  get used(): number {
    return 1 - Math.min(this.operations / OPERATIONS, this.product / this.mostProduct);
  }
}

let current: Allowance | undefined;

/** All evaluations in `work`, which must not wait for anything, share the allowance. */
export function sharing<T>(work: () => T, allowance = new Allowance()): T {
  const outer = current;
  current = allowance;
  try {
    return work();
  } finally {
    current = outer;
  }
}

/** Undefined: the evaluation has only its own limits. */
export const sharedAllowance = (): Allowance | undefined => current;
