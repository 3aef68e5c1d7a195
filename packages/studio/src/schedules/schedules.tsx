/** When documents run automatically. */
import { StatusMark } from '@woof/run-view';
import { usePolled } from '../load.ts';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { query, setQuery } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';
import { type Schedule, ScheduleDetails } from './schedule-details.tsx';

const EVERY_MS = 5000;
const MOST = 500;

export function Schedules() {
  const loaded = usePolled(() => ask('schedules.list', { query: { limit: MOST } }), 'schedules', EVERY_MS);
  const schedules = loaded.value.value?.schedules;
  const chosen = query.value.get('schedule');
  return (
    <>
      <h1>Schedules</h1>
      {loaded.error.value !== undefined && <ProblemBox error={loaded.error.value} again={loaded.again} />}
      {schedules === undefined && loaded.error.value === undefined && <Skeleton />}
      {schedules?.length === 0 && (
        <p class="empty">
          No document has a schedule. Declare one in the document (see <a href="/docs/schedules">Schedules</a>
          ), or run <code>woof schedule add</code>.
        </p>
      )}
      {schedules && schedules.length > 0 && (
        <Table columns={['Schedule', 'When', 'Next', 'Last run']}>
          {schedules.map((schedule) => (
            <ScheduleRow
              key={schedule.schedule_id}
              schedule={schedule}
              isOpen={schedule.schedule_id === chosen}
              onChanged={loaded.again}
            />
          ))}
        </Table>
      )}
    </>
  );
}

interface RowProps {
  schedule: Schedule;
  isOpen: boolean;
  onChanged: () => Promise<void>;
}

function ScheduleRow({ schedule, isOpen, onChanged }: RowProps) {
  const { schedule_id: id, path, cron, timezone, next, paused, runs } = schedule;
  const [last] = runs;
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            class="quiet link"
            aria-expanded={isOpen}
            onClick={() => setQuery({ schedule: isOpen ? undefined : id })}
          >
            {said(id)}
          </button>
          <small>{path}</small>
        </td>
        <td>
          <code>{cron}</code> <small>{timezone}</small>
        </td>
        <td>{paused ? <StatusMark status="paused" /> : next[0] !== undefined && <Time at={next[0]} />}</td>
        <td>
          {last && (
            <a href={runAddress(last.execution_id)}>
              <StatusMark status={last.status ?? last.state} />
            </a>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4}>
            <ScheduleDetails schedule={schedule} onChanged={onChanged} />
          </td>
        </tr>
      )}
    </>
  );
}
