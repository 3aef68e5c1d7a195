/**
 * Whose turn it is among executions that have work to give.
 *
 * All executions of one run, nested ones included, share one turn and take it one after the other. Whoever had it goes to
 * the end, so that neither a wide loop nor many nested runs starve the others.
 */
import type { LiveExecution } from './live-execution.ts';

export class Turns implements Iterable<LiveExecution> {
  private readonly byRoot = new Map<string, Set<LiveExecution>>();

  add(execution: LiveExecution): void {
    const family = this.byRoot.get(execution.root);
    if (family) family.add(execution);
    else this.byRoot.set(execution.root, new Set([execution]));
  }

  delete(execution: LiveExecution): void {
    const family = this.byRoot.get(execution.root);
    family?.delete(execution);
    if (family?.size === 0) this.byRoot.delete(execution.root);
  }

  get isEmpty(): boolean {
    return this.byRoot.size === 0;
  }

  next(): LiveExecution | undefined {
    for (const family of this.byRoot.values()) for (const execution of family) return execution;
    return undefined;
  }

  /** It had its turn, and has more to give. */
  toTheEnd(execution: LiveExecution): void {
    const family = this.byRoot.get(execution.root);
    if (family === undefined) return;
    if (family.size > 1 && family.delete(execution)) family.add(execution);
    if (this.byRoot.size > 1 && this.byRoot.delete(execution.root)) this.byRoot.set(execution.root, family);
  }

  *[Symbol.iterator](): Iterator<LiveExecution> {
    for (const family of this.byRoot.values()) yield* family;
  }
}
