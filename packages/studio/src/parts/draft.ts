/**
 * What a user typed but has not sent, and the form that it belongs to. It outlives the page, so that nothing is lost
 * when a session ends. After signing out, or for another user, it is gone. A user whose token expired returns with
 * another token of the same name and role.
 */
import { effect, type Signal, signal } from '@preact/signals';
import { me, whenSignedOut } from '../session.ts';

const drafts = new Map<string, Signal<unknown>>();
let owner: string | undefined;

effect(() => {
  if (!me.value) return;
  const now = `${me.value.role} ${me.value.name}`;
  if (now === owner) return;
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

/** Removes the drafts of a form that was sent or left: all whose keys begin with `prefix`. */
export function forgetDrafts(prefix: string): void {
  for (const key of drafts.keys()) if (key.startsWith(prefix)) drafts.delete(key);
}
