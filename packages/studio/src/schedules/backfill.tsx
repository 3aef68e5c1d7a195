/** Runs for start times that have passed: first which ones, then start. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { say } from '../parts/notice.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { exact } from '../parts/time.tsx';
import { ask, may } from '../session.ts';

export function Backfill({ id, onChanged }: { id: string; onChanged: () => Promise<void> }) {
  const isOpen = useSignal(false);
  if (!may('schedules.backfill')) return null;
  const close = () => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Backfill…
      </button>
      {isOpen.value && (
        <Dialog title={`Backfill ${id}`} onClose={close}>
          <BackfillForm
            id={id}
            onDone={() => {
              close();
              void onChanged();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function BackfillForm({ id, onDone }: { id: string; onDone: () => void }) {
  const from = useSignal('');
  const to = useSignal('');
  const times = useSignal<number[] | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  // What was previewed is what starts.
  useEffect(() => {
    times.value = undefined;
  }, [from.value, to.value]);
  const range = () => ({ since: Date.parse(from.value), until: Date.parse(to.value) });
  const attempt = async (what: () => Promise<void>) => {
    problem.value = undefined;
    try {
      await what();
    } catch (error) {
      problem.value = error;
    }
  };
  const preview = (event: Event) => {
    event.preventDefault();
    return attempt(async () => {
      const found = await ask('schedules.backfill', { params: { id }, body: { ...range(), dry_run: true } });
      times.value = found.times ?? [];
    });
  };
  const start = () =>
    attempt(async () => {
      const { started = [] } = await ask('schedules.backfill', { params: { id }, body: range() });
      say(`${started.length} runs of ${id} started`);
      onDone();
    });
  return (
    <form onSubmit={(event) => void preview(event)}>
      <Field label="From" type="datetime-local" required value={from} />
      <Field label="To" type="datetime-local" required value={to} />
      {problem.value !== undefined && <ProblemBox error={problem.value} />}
      {times.value !== undefined && <p role="status">{saidOf(times.value)}</p>}
      <div class="answers">
        <button type="submit">Preview</button>
        <button type="button" class="main" disabled={!times.value?.length} onClick={() => void start()}>
          Start {times.value?.length === 1 ? 'one run' : `${times.value?.length ?? ''} runs`}
        </button>
      </div>
    </form>
  );
}

function saidOf(times: readonly number[]): string {
  const [first] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined) return 'The schedule has no start time in that period.';
  if (times.length === 1) return `One run, for ${exact(first)}.`;
  return `${times.length} runs, from ${exact(first)} to ${exact(last)}.`;
}
