/** What a run is, its status, and where it comes from. */
import type { JsonObject } from '@woof/net';
import { StatusMark } from '@woof/run-view';
import type { ComponentChildren } from 'preact';
import type { Row } from '../changes.ts';
import { useLoaded } from '../load.ts';
import { said } from '../parts/said.ts';
import { Length, Time } from '../parts/time.tsx';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';

/** What the first event says of how the run began. */
interface Origin {
  source?: { by?: string; schedule?: string; scheduled_at?: string };
  rerun_of?: string;
}

interface HeaderProps {
  row: Row;
  status: string;
  children: ComponentChildren;
}

export function RunHeader({ row, status, children }: HeaderProps) {
  const { execution_id: id, started_at, ended_at, name, path, file } = row;
  const alike = new URLSearchParams(path === undefined ? { name } : { path });
  return (
    <header class="run">
      <div class="title">
        <h1>{said(name)}</h1>
        {children}
      </div>
      <p class="facts">
        <StatusMark status={status} />
        <span>
          <Time at={started_at} />, <Length from={started_at} to={ended_at} />
        </span>
        <span>{row.kind}</span>
        <a href={`/runs?${alike}`} title="All runs of this document">
          <bdi>{said(path ?? file ?? 'all runs')}</bdi>
        </a>
        <Began row={row} />
        <code>{id}</code>
      </p>
    </header>
  );
}

function Began({ row: { execution_id: id, parent } }: { row: Row }) {
  const first = useLoaded(() => originOf(id), `origin ${id}`).value.value;
  const { by, schedule, scheduled_at } = first?.source ?? {};
  const rerunOf = first?.rerun_of;
  return (
    <>
      {parent !== undefined && (
        <span>
          nested in <a href={runAddress(parent)}>{parent}</a>
        </span>
      )}
      {by !== undefined && (
        <span>
          started by <bdi>{said(by)}</bdi>
        </span>
      )}
      {schedule !== undefined && (
        <span>
          started by the schedule{' '}
          <a href={`/schedules?schedule=${encodeURIComponent(schedule)}`}>{schedule}</a>
          {scheduled_at !== undefined && ` for ${scheduled_at}`}
        </span>
      )}
      {rerunOf !== undefined && (
        <span>
          rerun of <a href={runAddress(rerunOf)}>{rerunOf}</a>,{' '}
          <a href={`/compare?a=${encodeURIComponent(rerunOf)}&b=${encodeURIComponent(id)}`}>compare</a>
        </span>
      )}
    </>
  );
}

async function originOf(id: string): Promise<Origin> {
  const { events } = await ask('executions.events', { params: { id }, query: { from: 0, limit: 1 } });
  return (events[0]?.data ?? {}) as JsonObject as Origin;
}
