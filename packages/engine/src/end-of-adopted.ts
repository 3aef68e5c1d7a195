/** The end of a run that an engine took over. */
import type { State } from '@woof/net';
import type { Engine } from './engine.ts';

/** As the log has it: a run that the engine still holds has ended only in memory, if at all. */
export async function endOfAdopted(
  engine: Pick<Engine, 'stateOf' | 'finished'>,
  state: State,
): Promise<State> {
  const { execution_id: id } = state;
  return engine.stateOf(id) === undefined ? state : engine.finished(id);
}
