/** Jobs that wait, and the limits that tasks hold or wait for. */
import { usePolled } from '../load.ts';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';

const EVERY_MS = 2000;

export function Queue() {
  const queue = usePolled(() => ask('queue.get'), 'queue', EVERY_MS).value.value;
  const limits = usePolled(() => ask('limits.get'), 'limits', EVERY_MS).value.value?.limits ?? [];
  if (queue === undefined) return <Skeleton rows={3} />;
  return (
    <>
      <section class="block">
        <h2>Waiting for a worker ({queue.jobs})</h2>
        {queue.waiting.length === 0 && queue.elsewhere.length === 0 && (
          <p class="soft">No jobs are waiting.</p>
        )}
        {queue.waiting.length > 0 && (
          <Table columns={['Step', 'Run', 'Why', 'Since']}>
            {queue.waiting.map(({ execution_id: id, job_id, step, reason, since }) => (
              <tr key={`${id}/${job_id}`}>
                <td>{said(step)}</td>
                <td>
                  <a href={runAddress(id, step)}>{id}</a>
                </td>
                <td>{said(reason)}</td>
                <td>{since !== undefined && <Time at={since} />}</td>
              </tr>
            ))}
          </Table>
        )}
        {queue.elsewhere.map(({ execution_id: id }) => (
          <p key={id}>
            <a href={runAddress(id)}>{id}</a> needs a worker that its server does not have.
          </p>
        ))}
      </section>
      {limits.length > 0 && (
        <section class="block">
          <h2>Limits</h2>
          <Table columns={['Limit', { name: 'In use', as: 'number' }, { name: 'Waiting', as: 'number' }]}>
            {limits.map(({ key, held, waiting }) => (
              <tr key={key}>
                <td>{said(key)}</td>
                <td class="number">{held.length}</td>
                <td class="number">{waiting.length}</td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}
