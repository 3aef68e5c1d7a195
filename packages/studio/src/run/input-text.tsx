/** What the tasks of a step received, as the server renders it now: it is requested each time that it is shown. */
import { useSignal } from '@preact/signals';
import { encodeJson, type Json, type Loop } from '@woof/net';
import { plainLines, plainText, type RunSource, ScrollBox } from '@woof/run-view';
import { useLoaded } from '../load.ts';
import { wordsOf } from '../parts/problem.tsx';
import { ask } from '../session.ts';

const LONGEST = 100_000;
/** Among this many failed iterations, the first one of the step's last run is looked for. */
const MOST_FAILED = 1000;

interface InputProps {
  source: RunSource;
  step: string;
}

export function InputText({ source, step }: InputProps) {
  const loop = source.plan.steps.find(({ name }) => name === step)?.loop;
  if (loop === undefined) return <Received id={source.id} step={step} />;
  return <OfIteration source={source} step={step} loop={loop} />;
}

/** Of a loop, one iteration is shown: first the one that failed, if any. */
function OfIteration({ source, step, loop }: InputProps & { loop: Loop }) {
  const first = useLoaded(() => firstToShow(source, step, loop), `iteration of ${source.id} ${step}`);
  const chosen = useSignal<string | undefined>(undefined);
  const iteration = chosen.value ?? first.value.value;
  if (iteration === undefined) return <p>…</p>;
  return (
    <>
      <div class="rv-filter">
        <label>
          Iteration
          <input
            size={8}
            spellcheck={false}
            value={iteration}
            onChange={(event) => {
              chosen.value = event.currentTarget.value.trim();
            }}
          />
        </label>
      </div>
      <Received key={iteration} id={source.id} step={step} iteration={iteration} />
    </>
  );
}

async function firstToShow(source: RunSource, step: string, loop: Loop): Promise<string> {
  const seq = source.head.peek().length;
  const { runs } = await source.step(seq, step);
  const query = { seq, status: 'failed', from: 0, count: MOST_FAILED } as const;
  const { rows } = await source.iterations(step, query);
  const indices = rows
    .map(({ id }) => id.split('/'))
    .find(([run, ...found]) => run === `${step}.${runs}` && found.length === depthOf(loop));
  return (indices?.slice(1) ?? Array(depthOf(loop)).fill(0)).join('/');
}

/** An iteration of nested loops has one index per loop. */
const depthOf = ({ inner }: Loop): number => 1 + (inner === undefined ? 0 : depthOf(inner));

function Received({ id, step, iteration }: { id: string; step: string; iteration?: string }) {
  const query = { step, ...(iteration === undefined ? {} : { iteration }) };
  const load = () => ask('executions.input', { params: { id }, query });
  const { value, error } = useLoaded(load, `input ${id} ${step} ${iteration}`);
  if (error.value !== undefined) return <p>{wordsOf(error.value).what}</p>;
  const { step: _, note, ...input } = value.value ?? {};
  const text = value.value === undefined ? '…' : encodeJson(input as unknown as Json, 2);
  const cut = text.length - LONGEST;
  return (
    <>
      {note !== undefined && <p>{plainText(note)}</p>}
      <ScrollBox kind="rv-value" label="Input">
        {plainLines(text.slice(0, LONGEST))}
      </ScrollBox>
      {cut > 0 && <p class="rv-none">{cut} more characters are not shown.</p>}
    </>
  );
}
