/**
 * Every program that a command line would run, as far as its words tell, outermost first.
 *
 * The depth is bounded: nesting deeper than anyone would write by hand is reported as too deep.
 */
import { innerCommands } from './inner-commands.ts';
import type { Invocation } from './invocation.ts';
import { baseName } from './names.ts';

const DEEPEST = 12;
const MOST = 20_000;

export interface Unwrapped {
  invocations: Invocation[];
  tooDeep: boolean;
}

export function unwrap(
  program: string,
  args: readonly string[],
  isShell: (name: string) => boolean,
): Unwrapped {
  const found: Unwrapped = { invocations: [], tooDeep: false };
  const left: Invocation[] = [{ program: baseName(program), args, via: [], guess: false, inShell: false }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.via.length >= DEEPEST || found.invocations.length >= MOST) {
      found.tooDeep = true;
      continue;
    }
    found.invocations.push(next);
    for (const inner of innerCommands(next, isShell).reverse()) left.push(inner);
  }
  return found;
}
