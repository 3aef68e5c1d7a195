/** The execution that a call names, or a problem if it does not exist. */
import { TooLargeToLoad } from '@woof/engine';
import type { State } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { ExecutionRow } from '@woof/stores';
import type { Parts } from '../parts.ts';

export async function rowOf({ store }: Parts, id: string): Promise<ExecutionRow> {
  const row = await store.execution(id);
  if (row === undefined) throw new Problem('not-found', `there is no execution ${id}`);
  return row;
}

export async function stateOf({ engine }: Parts, id: string): Promise<State> {
  const state = await unlessTooLarge(id, engine.storedState(id));
  if (state === undefined) throw new Problem('not-found', `there is no execution ${id}`);
  return state;
}

export async function unlessTooLarge<T>(id: string, loading: Promise<T>): Promise<T> {
  try {
    return await loading;
  } catch (error) {
    if (!(error instanceof TooLargeToLoad)) throw error;
    throw new Problem(
      'request/conflict',
      `execution ${id} cannot be shown: ${error.message}. You can still read its events`,
    );
  }
}

export function checkStep({ plan }: Pick<State, 'plan'>, step: string): void {
  if (plan.steps.some(({ name }) => name === step)) return;
  throw new Problem('not-found', `the execution has no step "${step}"`);
}
