/** Which step an answer is for where none is named. */
import { type State, waitingForPeople } from '@woof/net';
import { UserError } from '../user-error.ts';

/** Without a name, the one that waits is meant. */
export function onlyWaiting(state: State): string {
  const waiting = waitingForPeople(state);
  if (waiting.length === 1) return waiting[0]!.step;
  const names = waiting.map(({ step }) => step).join(', ');
  const fix = waiting.length === 0 ? `see: woof why ${state.execution_id}` : `name one of: ${names}`;
  const what = waiting.length === 0 ? 'no step' : `${waiting.length} steps`;
  throw new UserError(
    `${what} of ${state.execution_id} wait for a person`,
    fix,
    waiting.length === 0 ? 1 : 2,
  );
}
