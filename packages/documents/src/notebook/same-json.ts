import type { Json } from '@woof/net';
import { sortedText } from '../yaml/sorted-text.ts';

/** Equal as JSON, whatever the order of keys. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return sortedText(a) === sortedText(b);
}
