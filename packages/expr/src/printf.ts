import type { Runtime } from './runtime.ts';
import { typeFault } from './template-error.ts';
export function printf(_rt: Runtime, _format: string, _value: unknown): string {
  throw typeFault('not yet');
}
