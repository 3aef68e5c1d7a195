/** Runs for past start times: shows which ones, then starts them. */
import { useSignal } from '@preact/signals';
import { ScrollBox } from '@woof/run-view';
import { Answers } from '../parts/answers.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { draftOf, forgetDrafts } from '../parts/draft.ts';
import { Field } from '../parts/field.tsx';
import { say } from '../parts/notice.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { exact } from '../parts/time.tsx';
import { ask, may } from '../session.ts';

export function Backfill({ id, onChanged }: { id: string; onChanged: () => Promise<void> }) {
  const isOpen = draftOf(`backfill of ${id} is asked for`, false);
  if (!may('schedules.backfill')) return null;
  const close = () => {
    isOpen.value = false;
    forgetDrafts(`backfill ${id}/`);
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
            onLeave={close}
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

/** As typed in the fields. */
interface Range {
  from: string;
  to: string;
}

interface Preview extends Range {
  times: readonly number[];
}

const bodyOf = ({ from, to }: Range) => ({ since: Date.parse(from), until: Date.parse(to) });

interface FormProps {
  id: string;
  onLeave: () => void;
  onDone: () => void;
}

function BackfillForm({ id, onLeave, onDone }: FormProps) {
  const from = draftOf(`backfill ${id}/from`, '');
  const to = draftOf(`backfill ${id}/to`, '');
  const preview = useSignal<Preview | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  // What was previewed is what starts: the answer for a range that was edited since then is not shown.
  const shown =
    preview.value?.from === from.value && preview.value.to === to.value ? preview.value : undefined;
  const attempt = async (what: () => Promise<void>) => {
    problem.value = undefined;
    try {
      await what();
    } catch (error) {
      problem.value = error;
    }
  };
  const look = (event: Event) => {
    event.preventDefault();
    const range = { from: from.value, to: to.value };
    return attempt(async () => {
      const body = { ...bodyOf(range), dry_run: true };
      const { times = [] } = await ask('schedules.backfill', { params: { id }, body });
      preview.value = { ...range, times };
    });
  };
  const start = (range: Range) =>
    attempt(async () => {
      const { started = [] } = await ask('schedules.backfill', { params: { id }, body: bodyOf(range) });
      say(`${started.length} runs of ${id} started`);
      onDone();
    });
  return (
    <form onSubmit={(event) => void look(event)}>
      <Field label="From" type="datetime-local" required value={from} />
      <Field label="To" type="datetime-local" required value={to} />
      {problem.value !== undefined && <ProblemBox error={problem.value} />}
      {shown && <Times times={shown.times} />}
      <Answers onLeave={onLeave}>
        <button type="submit">Preview</button>
        <button
          type="button"
          class="main"
          disabled={!shown?.times.length}
          onClick={() => shown && void start(shown)}
        >
          Start {shown?.times.length === 1 ? 'one run' : `${shown?.times.length ?? ''} runs`}
        </button>
      </Answers>
    </form>
  );
}

const MOST = 200;

function Times({ times }: { times: readonly number[] }) {
  if (times.length === 0) return <p role="status">The schedule has no start time in that period.</p>;
  const more = times.length - MOST;
  return (
    <>
      <p role="status">{times.length === 1 ? 'One run:' : `${times.length} runs:`}</p>
      <ScrollBox kind="times" label="Start times">
        <ol class="plain">
          {times.slice(0, MOST).map((at) => (
            <li key={at}>{exact(at)}</li>
          ))}
          {more > 0 && <li class="soft">and {more} more</li>}
        </ol>
      </ScrollBox>
    </>
  );
}
