/** Names and fields of secrets. Values go to the server and never come back. */
import { usePolled } from '../load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { draftOf } from '../parts/draft.ts';
import { act } from '../parts/notice.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { ask } from '../session.ts';
import { SecretForm } from './secret-form.tsx';

const EVERY_MS = 5000;

export function Secrets() {
  const loaded = usePolled(() => ask('secrets.list'), 'secrets', EVERY_MS);
  const isAdding = draftOf('secrets are set', false);
  const secrets = loaded.value.value?.secrets;
  const remove = async (name: string) => {
    await act(async () => {
      await ask('secrets.remove', { params: { name } });
      return `${name} removed`;
    });
    await loaded.again();
  };
  return (
    <>
      <div class="title">
        <h1>Secrets</h1>
        <button
          type="button"
          class="main"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          Set a secret
        </button>
      </div>
      <p class="soft">
        Playbooks read secrets through their keychain. Values are never shown, in Studio or through the API.
      </p>
      {isAdding.value && (
        <SecretForm
          onClose={() => {
            isAdding.value = false;
            void loaded.again();
          }}
        />
      )}
      {loaded.error.value !== undefined && <ProblemBox error={loaded.error.value} again={loaded.again} />}
      {secrets === undefined && loaded.error.value === undefined && <Skeleton rows={3} />}
      {secrets?.length === 0 && loaded.error.value === undefined && (
        <p class="empty">There are no secrets.</p>
      )}
      {secrets && secrets.length > 0 && (
        <Table columns={['Name', 'Fields', 'Changed', { name: 'Actions', as: 'unseen' }]}>
          {secrets.map(({ name, fields, updated_at }) => (
            <tr key={name}>
              <td>{said(name)}</td>
              <td>{said(fields.join(', '))}</td>
              <td>
                <Time at={updated_at} />
              </td>
              <td class="act">
                <Confirm label="Remove" question={`Remove ${name}?`} onConfirm={() => remove(name)} quiet>
                  <p>Runs that use it fail from now on.</p>
                </Confirm>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
