/**
 * Who may change a data directory: the process that drives it, through its socket, else this one, with its lock.
 * A process that has the lock and no socket is starting or ending; it is given a moment.
 */
import { BusyError } from '../user-error.ts';
import { askOwner } from './control-client.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';

const PATIENCE_MS = 5000;
const PAUSE_MS = 50;

export async function reachOwner<T>(
  folder: string,
  request: ControlRequest,
  here: () => Promise<T>,
): Promise<{ answer: ControlAnswer } | { done: T }> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await askOwner(folder, request);
    if (answer) return { answer };
    try {
      return { done: await here() };
    } catch (error) {
      if (!(error instanceof BusyError) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
