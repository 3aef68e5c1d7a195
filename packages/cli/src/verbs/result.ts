import { accountOf, encodeJson, handleOf, isObject, isReference, type Json } from '@woof/net';
import { loaded } from '@woof/stores';
import { HOME_OPTIONS } from '../home-flags.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { checkStep } from './why.ts';

export const verb = defineVerb({
  args: ['RUN', '[STEP]'],
  options: {
    json: { doc: 'print JSON on one line, even if the result is text' },
    ref: { doc: 'print references instead of stored values' },
    load: { doc: 'no effect: Woof prints stored values by default' },
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof result last', 'print the result of the newest run'],
    ['woof result last fetch', 'print the result of the step "fetch", whatever its size'],
    ['woof result last fetch --ref', 'print where that result is stored and how large it is'],
  ],
  run: ([word = '', step], flags) =>
    withRun(word, flags, async (run) => {
      const value = await resultOf(run, step);
      const shown = flags.ref
        ? withHandles(value)
        : await loaded(value, (reference) => run.home.text(reference));
      if (flags.json) console.log(encodeJson(shown));
      else console.log(typeof shown === 'string' ? shown : encodeJson(shown, 2));
      return 0;
    }),
});

/** As `| ref` returns them. A list that is stored in parts has a handle for each of them. */
function withHandles(value: Json): Json {
  if (isReference(value)) {
    const { more } = value;
    return more ? { ...handleOf(value), more: withHandles(more as unknown as Json) } : handleOf(value);
  }
  if (Array.isArray(value)) return value.map(withHandles);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withHandles(item)]));
}

async function resultOf(run: OpenRun, step: string | undefined): Promise<Json> {
  const state = await stateOf(run);
  if (step !== undefined) checkStep(state, step);
  const account = accountOf(state);
  const { status, result: value } = step === undefined ? state : account.steps[step]!;
  if (value !== undefined) return value;
  const what = step === undefined ? 'the run' : `step "${step}"`;
  throw new UserError(
    `${what} has no result; its status is ${status}`,
    `see: woof why ${state.execution_id}`,
  );
}
