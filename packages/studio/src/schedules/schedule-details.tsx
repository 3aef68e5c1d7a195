/** One schedule: its next start times, its latest runs, and what can be done with it. */
import type { AnswerOf } from '@woof/protocol/http';
import { StatusMark } from '@woof/run-view';
import { act } from '../parts/notice.tsx';
import { exact, Time } from '../parts/time.tsx';
import { go } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask, may } from '../session.ts';
import { Backfill } from './backfill.tsx';

export type Schedule = AnswerOf<'schedules.get'>;

interface DetailsProps {
  schedule: Schedule;
  onChanged: () => Promise<void>;
}

export function ScheduleDetails({ schedule, onChanged }: DetailsProps) {
  const { schedule_id: id, path, paused, next, runs } = schedule;
  const params = { id };
  const change = async (call: 'schedules.pause' | 'schedules.resume', said: string) => {
    await act(async () => {
      await ask(call, { params });
      return `${id} ${said}`;
    });
    await onChanged();
  };
  const runNow = () =>
    act(async () => {
      const { execution_id } = await ask('schedules.run', { params });
      go(runAddress(execution_id));
      return `${id} started`;
    });
  return (
    <div class="details">
      {may('schedules.run') && (
        <div class="actions">
          <button type="button" class="main" onClick={() => void runNow()}>
            Run now
          </button>
          {paused ? (
            <button type="button" onClick={() => void change('schedules.resume', 'continues')}>
              Resume
            </button>
          ) : (
            <button type="button" onClick={() => void change('schedules.pause', 'is paused')}>
              Pause
            </button>
          )}
          <Backfill id={id} onChanged={onChanged} />
        </div>
      )}
      <div class="columns">
        <section>
          <h2>Next start times</h2>
          {next.length === 0 && <p class="soft">{paused ? 'None while it is paused.' : 'None.'}</p>}
          <ol class="plain">
            {next.map((at) => (
              <li key={at}>
                {exact(at)}{' '}
                <small>
                  <Time at={at} />
                </small>
              </li>
            ))}
          </ol>
        </section>
        <section>
          <h2>Latest runs</h2>
          {runs.length === 0 && <p class="soft">None yet.</p>}
          <ul class="plain">
            {runs.map((run) => (
              <li key={`${run.due_at}/${run.execution_id}`}>
                <a href={runAddress(run.execution_id)}>{exact(run.due_at)}</a>{' '}
                <StatusMark status={run.status ?? run.state} /> {run.note && <small>{run.note}</small>}
              </li>
            ))}
          </ul>
          <p>
            <a href={`/runs?path=${encodeURIComponent(path)}`}>All runs of {path}</a>, including backfilled
            ones
          </p>
        </section>
      </div>
    </div>
  );
}
