/** Which runs are shown. Each part of the filter is in the address. */
import { useSignal } from '@preact/signals';
import { StatusMark } from '@woof/run-view';
import { useEffect } from 'preact/hooks';
import { lazy } from '../parts/lazy.tsx';
import { query, setQuery } from '../router.ts';
import { VIEWS, workloadOf } from './run-filter.ts';

/** A list without a filter does not need them. */
const FilterChips = lazy(
  async () => (await import('./filter-chips.tsx')).FilterChips,
  () => null,
);
const SavedViews = lazy(
  async () => (await import('./saved-views.tsx')).SavedViews,
  () => null,
);

const STATUSES = ['running', 'needs_human', 'paused', 'failed', 'succeeded', 'cancelled'];
const KINDS = ['playbook', 'notebook', 'workflow'];
const TIMES = [
  ['', 'any time'],
  ['1h', 'the last hour'],
  ['24h', 'the last day'],
  ['7d', 'the last week'],
  ['30d', 'the last 30 days'],
] as const;
const PAUSE_MS = 200;

export function FilterBar() {
  const statuses = (query.value.get('status') ?? '').split(',').filter(Boolean);
  const toggle = (status: string) => {
    const next = statuses.includes(status) ? statuses.filter((one) => one !== status) : [...statuses, status];
    setQuery({ status: next.join(',') });
  };
  const isFiltered = query.value.toString() !== '';
  return (
    <search class="filter">
      <SearchField />
      <fieldset class="chips">
        <legend>Status</legend>
        {STATUSES.map((status) => (
          <label key={status}>
            <input type="checkbox" checked={statuses.includes(status)} onChange={() => toggle(status)} />
            <StatusMark status={status} />
          </label>
        ))}
      </fieldset>
      <label>
        Kind{' '}
        <select
          value={query.value.get('kind') ?? ''}
          onChange={(event) => setQuery({ kind: event.currentTarget.value })}
        >
          <option value="">any</option>
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      <TimeField label="Started" name="since" />
      <TimeField label="Ended" name="ended_since" />
      <WorkloadField />
      {isFiltered && <FilterChips />}
      {(isFiltered || localStorage.getItem(VIEWS) !== null) && <SavedViews />}
    </search>
  );
}

function TimeField({ label, name }: { label: string; name: 'since' | 'ended_since' }) {
  const chosen = query.value.get(name) ?? '';
  const isOther = TIMES.every(([value]) => value !== chosen);
  return (
    <label>
      {label}{' '}
      <select value={chosen} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        {TIMES.map(([value, said]) => (
          <option key={value} value={value}>
            {said}
          </option>
        ))}
        {isOther && <option value={chosen}>since {chosen}</option>}
      </select>
    </label>
  );
}

/** Asks when the user pauses typing. */
function SearchField() {
  const text = useSignal(query.value.get('q') ?? '');
  const inAddress = query.value.get('q') ?? '';
  useEffect(() => {
    text.value = inAddress;
  }, [inAddress]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.value !== (query.peek().get('q') ?? '')) setQuery({ q: text.value }, 'replace');
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text.value]);
  return (
    <label class="search">
      <span class="sr">Search</span>
      <input
        type="search"
        placeholder="Name, path, id or error"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}

function WorkloadField() {
  const text = useSignal('');
  const problem = useSignal('');
  const add = (event: Event) => {
    event.preventDefault();
    const pair = workloadOf(text.value);
    problem.value = pair ? '' : 'Write it as key=value';
    if (!pair) return;
    setQuery({ [pair[0]]: pair[1] });
    text.value = '';
  };
  return (
    <form class="workload" onSubmit={add}>
      <label>
        <span class="sr">Workload value</span>
        <input
          placeholder="workload key=value"
          value={text.value}
          aria-describedby="workload-problem"
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <span id="workload-problem" class="bad" role="alert">
        {problem.value}
      </span>
    </form>
  );
}
