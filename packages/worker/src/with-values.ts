/** Evaluates templates whose values may lie elsewhere. */
import type { JobPort } from '@woof/net';

/**
 * What `evaluate` gives. Where it read a value that is not at hand, the value is brought and all of it is evaluated
 * again: templates change nothing. No promise where everything is at hand, which is the rule.
 */
export function withValues<T>(port: Pick<JobPort, 'lacks' | 'bring'>, evaluate: () => T): T | Promise<T> {
  try {
    const value = evaluate();
    if (!port.lacks()) return value;
  } catch (error) {
    if (!port.lacks()) throw error;
  }
  return port.bring().then(() => withValues(port, evaluate));
}
