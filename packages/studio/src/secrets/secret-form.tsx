/** Sets the fields of one secret. What it had before is replaced. */
import { type Signal, signal, useSignal } from '@preact/signals';
import { Answers } from '../parts/answers.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { draftOf, forgetDrafts } from '../parts/draft.ts';
import { Field } from '../parts/field.tsx';
import { say } from '../parts/notice.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { ask } from '../session.ts';

interface Entry {
  id: number;
  field: Signal<string>;
  value: Signal<string>;
}

let count = 0;
const newEntry = (field = ''): Entry => ({ id: ++count, field: signal(field), value: signal('') });

const DRAFT = 'secret form';

export function SecretForm({ onClose }: { onClose: () => void }) {
  const name = draftOf(`${DRAFT} name`, '');
  const entries = draftOf<Entry[]>(`${DRAFT} entries`, [newEntry('value')]);
  const leave = () => {
    forgetDrafts(DRAFT);
    onClose();
  };
  const problem = useSignal<unknown>(undefined);
  const save = async (event: Event) => {
    event.preventDefault();
    const fields = Object.fromEntries(
      entries.value.map(({ field, value }) => [field.value.trim(), value.value]),
    );
    try {
      await ask('secrets.put', { params: { name: name.value.trim() }, body: { fields } });
      say(`${name.value.trim()} set`);
      leave();
    } catch (error) {
      problem.value = error;
    }
  };
  return (
    <Dialog title="Set a secret" onClose={leave}>
      <form onSubmit={(event) => void save(event)}>
        <Field label="Name" required value={name} />
        {entries.value.map(({ id, field, value }) => (
          <div key={id} class="pair">
            <Field label="Field" required value={field} />
            <Field label="Value" type="password" required value={value} />
          </div>
        ))}
        <button
          type="button"
          class="quiet"
          onClick={() => {
            entries.value = [...entries.value, newEntry()];
          }}
        >
          Add a field
        </button>
        {problem.value !== undefined && <ProblemBox error={problem.value} />}
        <Answers onLeave={leave}>
          <button type="submit" class="main">
            Set
          </button>
        </Answers>
      </form>
    </Dialog>
  );
}
