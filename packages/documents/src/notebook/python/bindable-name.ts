import { isBindableName } from '@woof/net';
import { KEYWORDS } from './python-words.ts';

const OURS = new Set(['woof', 'parameters', 'display']);

/** Whether the kernel itself binds a value under this name. */
export function isBindable(name: string): boolean {
  return isBindableName(name) && !KEYWORDS.has(name) && !OURS.has(name);
}
