/** Who works, what waits for whom and why, and which limits hold things up. */
import type { AnswerOf } from '@woof/protocol/http';
import { StatusMark } from '@woof/run-view';
import { usePolled } from '../load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { act } from '../parts/notice.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { ask, may } from '../session.ts';
import { Queue } from './queue.tsx';

const EVERY_MS = 2000;

type Members = AnswerOf<'workers.list'>;
type Worker = Members['workers'][number];

export function Workers() {
  const loaded = usePolled(() => ask('workers.list'), 'workers', EVERY_MS);
  const members = loaded.value.value;
  return (
    <>
      <h1>Workers and queue</h1>
      {loaded.error.value !== undefined && <ProblemBox error={loaded.error.value} again={loaded.again} />}
      {members === undefined ? (
        <Skeleton />
      ) : (
        <WorkerTable workers={members.workers} onChanged={loaded.again} />
      )}
      <Queue />
      {members && <Servers servers={members.servers} />}
    </>
  );
}

function WorkerTable({ workers, onChanged }: { workers: readonly Worker[]; onChanged: () => Promise<void> }) {
  if (workers.length === 0)
    return (
      <p class="empty">
        No worker is connected, so nothing runs. Start one with <code>woof worker --server URL</code>, or use{' '}
        <code>woof up</code>, which has one.
      </p>
    );
  return (
    <section class="block">
      <Table
        columns={[
          'Worker',
          'Status',
          { name: 'Slots', as: 'number' },
          'Labels',
          'Version',
          'Last seen',
          { name: 'Actions', as: 'unseen' },
        ]}
      >
        {workers.map((worker) => (
          <WorkerRow key={worker.id} worker={worker} onChanged={onChanged} />
        ))}
      </Table>
    </section>
  );
}

function WorkerRow({ worker, onChanged }: { worker: Worker; onChanged: () => Promise<void> }) {
  const { id, alive, draining, seen_at, info } = worker;
  const drain = async () => {
    await act(async () => {
      await ask('workers.drain', { params: { id } });
      return `${id} finishes its jobs and takes no new ones`;
    });
    await onChanged();
  };
  const resume = async () => {
    await act(async () => {
      await ask('workers.resume', { params: { id } });
      return `${id} takes jobs again`;
    });
    await onChanged();
  };
  return (
    <tr>
      <td>{said(id)}</td>
      <td>
        <StatusMark status={stateOf(worker)} />
      </td>
      <td class="number">{String(info.slots ?? '')}</td>
      <td>{said(labelsOf(info.labels))}</td>
      <td>{String(info.version ?? '')}</td>
      <td>
        <Time at={seen_at} />
      </td>
      <td class="act">
        {alive && !draining && may('workers.drain') && (
          <Confirm label="Drain" question={`Drain ${id}?`} onConfirm={drain} quiet>
            <p>It finishes its jobs and takes no new ones.</p>
          </Confirm>
        )}
        {alive && draining && may('workers.resume') && (
          <button type="button" class="quiet" onClick={() => void resume()}>
            Resume
          </button>
        )}
      </td>
    </tr>
  );
}

function stateOf({ alive, draining }: Worker): string {
  if (!alive) return 'gone';
  return draining ? 'draining' : 'connected';
}

export function labelsOf(labels: unknown): string {
  return Object.entries((labels ?? {}) as Record<string, unknown>)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');
}

function Servers({ servers }: { servers: Members['servers'] }) {
  if (servers.length < 2) return null;
  return (
    <section class="block">
      <h2>Servers</h2>
      <ul class="plain">
        {servers.map(({ id, alive, seen_at }) => (
          <li key={id}>
            {id} <StatusMark status={alive ? 'connected' : 'gone'} /> <Time at={seen_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
