/** One run: its status and why, its actions, and every view of its log. It stays up to date without a reload. */
import type { Selection } from '@woof/run-view';
import { useEffect, useMemo } from 'preact/hooks';
import type { Row } from '../changes.ts';
import { type Loaded, useLoaded } from '../load.ts';
import type { PageProps } from '../pages.ts';
import { lazy } from '../parts/lazy.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { setQuery } from '../router.ts';
import { ask, isMissing } from '../session.ts';
import { useNewestMoment } from './newest-moment.ts';
import { RerunDialog } from './rerun-dialog.tsx';
import { RunActions } from './run-actions.tsx';
import { RunHeader } from './run-header.tsx';
import type { RunNow } from './run-now.ts';
import { RunPanes } from './run-panes.tsx';
import { useSelection } from './selection.ts';
import { type OpenRun, openRun } from './server-source.ts';
import { WhyBanner } from './why.tsx';

/** Runs that can be shown do not need them. */
const Gone = lazy(async () => (await import('./gone.tsx')).Gone);
const Unreadable = lazy(async () => (await import('./unreadable.tsx')).Unreadable);

export function Run({ params: [id = ''] }: PageProps) {
  const row = useLoaded(() => ask('executions.row', { params: { id } }), id);
  const run = useMemo(() => openRun(id), [id]);
  useEffect(() => run.close, [run]);
  useFreshRow(run, row);
  const known = row.value.value;
  useEffect(() => {
    if (known !== undefined) document.title = `${said(known.name)} · Woof`;
  }, [known?.name]);
  if (known === undefined && isMissing(row.error.value)) return <Gone id={id} />;
  const isRemoved = run.source.value !== undefined && [row.error.value, run.problem.value].some(isMissing);
  return (
    <>
      {run.away.value !== undefined && <Away why={run.away.value} />}
      {isRemoved && <Removed />}
      {known === undefined ? (
        <Opening row={row} isAway={run.away.value !== undefined} />
      ) : (
        <Shown row={known} run={run} />
      )}
    </>
  );
}

/** The row has what no event contains: when the run ended, and its error as lists show it. */
function useFreshRow({ source: { value: source } }: OpenRun, row: Loaded<Row>): void {
  useEffect(() => {
    let last: string | undefined;
    return source?.head.subscribe(({ status, connection }) => {
      const stands = `${status} ${connection}`;
      if (stands !== last) void row.again();
      last = stands;
    });
  }, [source, row]);
}

function Shown({ row, run }: { row: Row; run: OpenRun }) {
  const source = run.source.value;
  const latest = useNewestMoment(source);
  const selection = useSelection();
  const moment = latest.moment.value;
  const failure = run.problem.value ?? latest.error.value;
  useFirstStep(moment, selection);
  const isUnreadable = failure !== undefined && moment === undefined;
  const status = moment?.status ?? row.status;
  return (
    <>
      <RunHeader row={row} status={status}>
        {!isUnreadable && <RunActions id={row.execution_id} status={status} />}
      </RunHeader>
      {isUnreadable ? (
        <Unreadable id={row.execution_id} failure={failure} />
      ) : (
        <Views row={row} run={run} moment={moment} selection={selection} />
      )}
      {failure !== undefined && moment !== undefined && !isMissing(failure) && <ProblemBox error={failure} />}
    </>
  );
}

interface ViewsProps {
  row: Row;
  run: OpenRun;
  moment: RunNow | undefined;
  selection: Selection;
}

function Views({ row, run, moment, selection }: ViewsProps) {
  const source = run.source.value;
  if (source === undefined || moment === undefined) return <Skeleton rows={10} />;
  const { workload } = moment;
  const choose = (step: string) => {
    selection.step.value = source.plan.steps.some(({ name }) => name === step) ? step : step.split(/[./]/)[0];
  };
  return (
    <>
      <WhyBanner id={row.execution_id} name={row.name} moment={moment} onStep={choose} />
      <RunPanes source={source} selection={selection} status={moment.status} />
      <RerunDialog
        id={row.execution_id}
        plan={source.plan}
        workload={workload.cut === 0 ? workload.text : undefined}
      />
    </>
  );
}

/**
 * A run that failed or is waiting for approval opens at the step that matters, unless the address names another. This
 * adds no entry to the history.
 */
function useFirstStep(moment: RunNow | undefined, { step }: Selection): void {
  const isThere = moment !== undefined;
  useEffect(() => {
    if (!isThere || step.peek() !== undefined) return;
    const first = moment.error?.step ?? moment.questions[0]?.step;
    if (first !== undefined) setQuery({ step: first }, 'replace');
  }, [isThere]);
}

function Opening({ row, isAway }: { row: Loaded<Row>; isAway: boolean }) {
  if (row.error.value === undefined || isAway) return <Skeleton rows={10} />;
  return <ProblemBox error={row.error.value} again={row.again} />;
}

function Away({ why }: { why: string }) {
  return (
    <p class="away-banner" role="status">
      <strong>Reconnecting…</strong> <bdi>{why}</bdi>. This page may be out of date. Studio continues by
      itself when the server answers; if it was stopped, start it with <code>woof up</code>.
    </p>
  );
}

function Removed() {
  return (
    <p class="away-banner" role="status">
      <strong>This run was removed from the server.</strong> What was loaded before stays here until you leave
      the page.
    </p>
  );
}
