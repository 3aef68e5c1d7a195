import { usePolled } from '../load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { draftOf } from '../parts/draft.ts';
import { act } from '../parts/notice.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { ask, me } from '../session.ts';
import { TokenForm } from './token-form.tsx';

const EVERY_MS = 5000;

export function Tokens() {
  const loaded = usePolled(() => ask('tokens.list'), 'tokens', EVERY_MS);
  const isAdding = draftOf('tokens are added', false);
  const tokens = loaded.value.value?.tokens;
  const names = new Map(tokens?.map(({ id, name }) => [id, name]));
  const revoke = async (id: string, name: string) => {
    await act(async () => {
      await ask('tokens.revoke', { params: { id } });
      return `${name} revoked`;
    });
    await loaded.again();
  };
  return (
    <section class="block">
      <div class="title">
        <h2>Tokens</h2>
        <button
          type="button"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          Create a token
        </button>
      </div>
      {isAdding.value && (
        <TokenForm
          onClose={() => {
            isAdding.value = false;
            void loaded.again();
          }}
        />
      )}
      {loaded.error.value !== undefined && <ProblemBox error={loaded.error.value} again={loaded.again} />}
      {tokens === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <Table columns={['Name', 'Role', 'Created', 'Expires', { name: 'Actions', as: 'unseen' }]}>
          {tokens.map(({ id, name, role, created_at, created_by, expires_at }) => (
            <tr key={id}>
              <td>
                {said(name)} {id === me.value?.id && <small>(yours)</small>}
              </td>
              <td>{role}</td>
              <td>
                <Time at={created_at} /> <small>by {said(names.get(created_by) ?? created_by)}</small>
              </td>
              <td>{expires_at === undefined ? <span class="soft">never</span> : <Time at={expires_at} />}</td>
              <td class="act">
                <Confirm label="Revoke" question={`Revoke ${name}?`} onConfirm={() => revoke(id, name)} quiet>
                  <p>Whoever uses it is signed out at once.</p>
                </Confirm>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
