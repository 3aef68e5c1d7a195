import type { ToolContext } from './tool.ts';

export type Stopping = Pick<ToolContext, 'signal' | 'onStop'>;

/** Calls `stop` with the reason once the task must end, or at once if it already must. Returns an unsubscriber. */
export function onStop(context: Stopping, stop: (reason: unknown) => void): () => void {
  if (context.onStop) return context.onStop(stop);
  const { signal } = context;
  const abort = () => stop(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
