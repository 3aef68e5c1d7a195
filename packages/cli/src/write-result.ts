/** The result of a run on stdout, whole where it is small. */
import { encodeJson, type State } from '@woof/net';
import { harmless, shorten } from './terminal.ts';

const SHOWN = 4000;

export function writeResult(state: State): void {
  const { result = null } = state;
  if (result === null) return;
  const text = typeof result === 'string' ? result : encodeJson(result, 2);
  process.stdout.write(`${shorten(harmless(text, 'lines'), SHOWN)}\n`);
  if (text.length > SHOWN) process.stderr.write(`  the whole of it: woof result ${state.execution_id}\n`);
}
