/** What needs the user's attention: gates, failures since the last visit, what is running, what comes next. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { listenCalmly, type Row } from '../changes.ts';
import { useLoaded, usePolled } from '../load.ts';
import { lazy } from '../parts/lazy.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { useRunList } from '../runs/run-list.ts';
import { RunTable } from '../runs/run-table.tsx';
import { ask } from '../session.ts';
import { Gates } from './gates.tsx';
import { useLastVisit } from './last-visit.ts';

const SHOWN = 10;
const NEXT_MS = 10_000;

const Examples = lazy(async () => (await import('./first-steps.tsx')).Examples);
const FirstSteps = lazy(async () => (await import('./first-steps.tsx')).FirstSteps);

export function Inbox() {
  const counts = useLoaded(() => ask('executions.counts'), 'counts');
  const gates = useLoaded(() => ask('executions.gates', { query: { limit: SHOWN } }), 'gates');
  useEffect(() => listenCalmly(() => void Promise.all([counts.again(), gates.again()])), [counts, gates]);
  const known = counts.value.value?.counts;
  const problem = counts.error.value !== undefined && (
    <ProblemBox error={counts.error.value} again={counts.again} />
  );
  if (known === undefined) return problem || <Skeleton rows={8} />;
  if (Object.values(known).every((count) => count === 0)) return <FirstSteps />;
  return (
    <>
      <h1>Inbox</h1>
      {problem}
      <Gates gates={gates} />
      <Failures />
      <Running count={known.running + known.paused} />
      <Next />
      <details class="block">
        <summary>Examples to try</summary>
        <Examples />
      </details>
    </>
  );
}

function Section({ title, more, children }: { title: string; more?: string; children: ComponentChildren }) {
  return (
    <section class="block">
      <div class="title">
        <h2>{title}</h2>
        {more && <a href={more}>Show all</a>}
      </div>
      {children}
    </section>
  );
}

function Failures() {
  const since = useLastVisit();
  const { rows } = useRunList({ status: 'failed', roots: 'true', ended_since: since }, SHOWN);
  return (
    <Section title="Failed since your last visit" more="/runs?status=failed">
      <Rows rows={rows.value} none="Nothing failed." />
    </Section>
  );
}

function Running({ count }: { count: number }) {
  const { rows } = useRunList({ status: 'running,paused', roots: 'true' }, SHOWN);
  return (
    <Section
      title={count === 0 ? 'In progress' : `In progress (${count})`}
      more="/runs?status=running,paused"
    >
      <Rows rows={rows.value} none="Nothing is running." />
    </Section>
  );
}

function Rows({ rows, none }: { rows: Row[] | undefined; none: string }) {
  if (rows === undefined) return <Skeleton rows={2} />;
  return rows.length === 0 ? <p class="soft">{none}</p> : <RunTable rows={rows} />;
}

function Next() {
  const load = () => ask('schedules.list', { query: { limit: 100 } });
  const schedules = usePolled(load, 'schedules', NEXT_MS);
  const coming = (schedules.value.value?.schedules ?? [])
    .flatMap(({ schedule_id: id, path, next }) => next.slice(0, 1).map((at) => ({ id, path, at })))
    .sort((a, b) => a.at - b.at)
    .slice(0, SHOWN);
  if (coming.length === 0) return null;
  return (
    <Section title="Next scheduled runs" more="/schedules">
      <ul class="plain">
        {coming.map(({ id, path, at }) => (
          <li key={id}>
            <Time at={at} /> <a href={`/schedules?schedule=${encodeURIComponent(id)}`}>{id}</a>{' '}
            <small>{path}</small>
          </li>
        ))}
      </ul>
    </Section>
  );
}
