/** Evaluates templates whose values may be stored elsewhere. */
import { type JobPort, sharing } from '@woof/net';

/**
 * The result of `evaluate`. If it read a value that is not loaded, the value is loaded and everything is evaluated
 * again, which is safe because templates have no effects. Returns no promise if everything is loaded, which is the
 * usual case. All templates in `evaluate` share one allowance.
 */
export function withValues<T>(port: Pick<JobPort, 'lacks' | 'bring'>, evaluate: () => T): T | Promise<T> {
  try {
    const value = sharing(evaluate);
    if (!port.lacks()) return value;
  } catch (error) {
    if (!port.lacks()) throw error;
  }
  return port.bring().then(() => withValues(port, evaluate));
}
