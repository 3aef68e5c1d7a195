/**
 * The events that a rerun starts from. The log of a run that is itself a rerun begins with adopted steps: the tokens
 * that led to them, and what they wrote to ctx, are in the log of the previous run.
 */

import type { Event } from '@woof/net';
import type { ReadStore } from '@woof/stores';
import { readEvents } from './replay.ts';

export async function rerunHistory(store: Pick<ReadStore, 'read'>, executionId: string): Promise<Event[]> {
  const own = await readEvents(store, executionId);
  const [first] = own;
  const earlier = first?.name === 'playbook.execution.requested' ? first.data.rerun_of : undefined;
  const before = earlier === undefined ? [] : await rerunHistory(store, earlier);
  if (before.length === 0) return own;
  const adopted = new Set(own.flatMap((event) => (event.name === 'step.adopted' ? [event.step] : [])));
  const inherited = before.filter(
    ({ name, step }) => (name === 'token.enqueued' || name === 'ctx.patched') && adopted.has(step),
  );
  // The inherited patches add up to the ctx that this run received as a whole.
  return [...inherited, ...own.filter(({ name }) => name !== 'playbook.request.evaluated')];
}
