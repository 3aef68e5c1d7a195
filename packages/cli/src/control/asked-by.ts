/** Which question an answer is for. */
import { type Question, questionsAt, questionsOf, type State, WAITING_FOR_APPROVAL } from '@woof/net';
import { UserError } from '../user-error.ts';

type Asked = Pick<Question, 'execution_id' | 'step'>;

/** If no step is named, the one that is waiting. */
export function askedBy(state: State, step: string | undefined): Asked {
  return step === undefined ? onlyWaiting(state) : askedAt(state, step);
}

/** A step that waits for a nested run stands for that run's only question. */
function askedAt(state: State, step: string): Asked {
  const { execution_id } = state;
  const asked = questionsAt(state, step);
  const [first] = asked;
  if (first === undefined || first.execution_id === execution_id) return { execution_id, step };
  if (asked.length > 1)
    throw new UserError(`step "${step}" is waiting for ${asked.length} answers`, nameOne(state, asked), 2);
  return first;
}

function onlyWaiting(state: State): Asked {
  const waiting = questionsOf(state);
  if (waiting.length === 1) return waiting[0]!;
  const fix = waiting.length === 0 ? `see: woof why ${state.execution_id}` : nameOne(state, waiting);
  const what = waiting.length === 0 ? 'no step' : `${waiting.length} steps`;
  throw new UserError(
    `${what} of ${state.execution_id} ${waiting.length === 0 ? 'is' : 'are'} ${WAITING_FOR_APPROVAL}`,
    fix,
    waiting.length === 0 ? 1 : 2,
  );
}

/** A question of a nested run is named together with that run. */
function nameOne(state: State, questions: readonly Question[]): string {
  const names = questions.map(({ execution_id, step }) =>
    execution_id === state.execution_id ? step : `${execution_id} ${step}`,
  );
  return `name one of: ${names.join(', ')}`;
}
