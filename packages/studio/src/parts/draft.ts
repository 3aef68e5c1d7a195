/**
 * What a person typed and has not sent, and which form it stands in: it outlives the page, so that a session that ends
 * loses nothing of it. Whoever signs out, or is somebody else, finds none of it.
 */
import { effect, type Signal, signal } from '@preact/signals';
import { me, whenSignedOut } from '../session.ts';

const drafts = new Map<string, Signal<unknown>>();
let owner: string | undefined;

effect(() => {
  const now = me.value?.id;
  if (now === undefined || now === owner) return;
  if (owner !== undefined) drafts.clear();
  owner = now;
});
whenSignedOut(() => drafts.clear());

export function draftOf(key: string): Signal<string | undefined>;
export function draftOf<T>(key: string, initial: T): Signal<T>;
export function draftOf<T>(key: string, initial?: T): Signal<T | undefined> {
  const known = drafts.get(key) ?? signal(initial);
  drafts.set(key, known);
  return known as Signal<T | undefined>;
}

/** Of a form that was sent or left: all whose keys begin so. */
export function forgetDrafts(prefix: string): void {
  for (const key of drafts.keys()) if (key.startsWith(prefix)) drafts.delete(key);
}
