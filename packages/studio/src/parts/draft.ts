/** What a person typed and has not sent: it outlives the page, so that a session that ends loses nothing of it. */
import { effect, type Signal, signal } from '@preact/signals';
import { me } from '../session.ts';

const drafts = new Map<string, Signal<string | undefined>>();
let owner: string | undefined;

// Whoever signs in next does not find what somebody else typed.
effect(() => {
  const now = me.value?.id;
  if (now === undefined || now === owner) return;
  if (owner !== undefined) drafts.clear();
  owner = now;
});

export function draftOf(key: string): Signal<string | undefined> {
  const known = drafts.get(key) ?? signal<string | undefined>(undefined);
  drafts.set(key, known);
  return known;
}
