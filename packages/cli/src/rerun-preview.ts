/** What a rerun would reuse and what would run, for people and programs; and the values that it would run with. */
import { encodeJson, type JsonObject, type State, type StepReason } from '@woof/net';
import { applySets } from './set-flags.ts';
import { harmless, table } from './terminal.ts';

export interface Preview {
  reused: readonly StepReason[];
  runs: readonly StepReason[];
  problems: readonly string[];
}

/** Undefined: unchanged. */
export function changedWorkload(
  { plan, workload }: State,
  sets: readonly string[] | undefined,
): JsonObject | undefined {
  return sets && applySets(workload, sets, { keepTypes: plan.kind === 'notebook' });
}

export function tellRerun({ reused, runs, problems }: Preview, flags: { json?: true }): number {
  if (flags.json) console.log(encodeJson({ reused, runs, problems } as never));
  else {
    const row = (word: string) => (one: StepReason) => [word, harmless(one.step), harmless(one.reason)];
    process.stdout.write(table([...reused.map(row('reused')), ...runs.map(row('runs'))]));
    for (const problem of problems) console.error(harmless(problem));
  }
  return problems.length === 0 ? 0 : 1;
}
