/** All runs, filtered by the address. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { lazy } from '../parts/lazy.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { query } from '../router.ts';
import { may } from '../session.ts';
import { FilterBar } from './filter-bar.tsx';
import { filterOf } from './run-filter.ts';
import { useRunList } from './run-list.ts';
import { RunTable } from './run-table.tsx';

const BulkActions = lazy(
  async () => (await import('./bulk-actions.tsx')).BulkActions,
  () => null,
);

/** Whoever may do nothing with many runs has no use for choosing them. */
const mayActOnMany = () => may('executions.cancel') || may('executions.rerun');

export function Runs() {
  const key = query.value.toString();
  const filter = useMemo(() => filterOf(query.value, Date.now()), [key]);
  const list = useRunList(filter);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    chosen.value = new Set();
  }, [key]);
  const rows = list.rows.value;
  return (
    <>
      <div class="title">
        <h1>Runs</h1>
        {chosen.value.size > 0 && <BulkActions chosen={chosen} />}
      </div>
      <FilterBar />
      {list.error.value !== undefined && <ProblemBox error={list.error.value} again={list.again} />}
      {rows === undefined && list.error.value === undefined && <Skeleton rows={12} />}
      {rows && rows.length > 0 && <RunTable rows={rows} {...(mayActOnMany() ? { chosen } : {})} />}
      {rows?.length === 0 && <Nothing isFiltered={key !== ''} />}
      {list.next.value !== undefined && (
        <button type="button" class="more" onClick={() => void list.more()}>
          Show older runs
        </button>
      )}
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <p class="empty">
        No runs match this filter. <a href="/runs">Show all runs</a>
      </p>
    );
  return (
    <p class="empty">
      There are no runs yet. Start one with <code>woof submit FILE</code>, or run an example from the{' '}
      <a href="/">inbox</a>.
    </p>
  );
}
