import { useSignal } from '@preact/signals';
import { ROLES, type Role } from '@woof/protocol';
import { Answers } from '../parts/answers.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { draftOf, forgetDrafts } from '../parts/draft.ts';
import { Field } from '../parts/field.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { ask } from '../session.ts';

const DAY_S = 86_400;
const ABOUT: Record<Role, string> = {
  viewer: 'can read',
  operator: 'can also start and control runs',
  admin: 'can do everything',
  worker: 'can only perform jobs',
};

const DRAFT = 'token form';

export function TokenForm({ onClose }: { onClose: () => void }) {
  const name = draftOf(`${DRAFT} name`, '');
  const role = draftOf<Role>(`${DRAFT} role`, 'viewer');
  const days = draftOf(`${DRAFT} days`, '30');
  const made = useSignal('');
  const problem = useSignal<unknown>(undefined);
  const create = async (event: Event) => {
    event.preventDefault();
    const expires = days.value.trim() === '' ? {} : { expires_in_s: Number(days.value) * DAY_S };
    try {
      const answer = await ask('tokens.create', {
        body: { name: name.value.trim(), role: role.value, ...expires },
      });
      made.value = answer.token;
      forgetDrafts(DRAFT);
      problem.value = undefined;
    } catch (error) {
      problem.value = error;
    }
  };
  return (
    <Dialog title="Create a token" onClose={onClose}>
      {made.value === '' ? (
        <form onSubmit={(event) => void create(event)}>
          <Field label="Name" required value={name} />
          <fieldset class="choices">
            <legend>Role</legend>
            {ROLES.map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name="role"
                  checked={role.value === one}
                  onChange={() => {
                    role.value = one;
                  }}
                />{' '}
                {one} <small>{ABOUT[one]}</small>
              </label>
            ))}
          </fieldset>
          <Field label="Expires after days (empty: never)" type="number" min="1" value={days} />
          {problem.value !== undefined && <ProblemBox error={problem.value} />}
          <Answers
            onLeave={() => {
              forgetDrafts(DRAFT);
              onClose();
            }}
          >
            <button type="submit" class="main">
              Create
            </button>
          </Answers>
        </form>
      ) : (
        <Made token={made.value} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Made({ token, onClose }: { token: string; onClose: () => void }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(token);
    isCopied.value = true;
  };
  return (
    <>
      <p>Copy it now: it is shown only once.</p>
      <p>
        <code class="secret">{token}</code>
      </p>
      <div class="answers">
        <button type="button" onClick={() => void copy()}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
        <button type="button" class="main" onClick={onClose}>
          Done
        </button>
      </div>
    </>
  );
}
