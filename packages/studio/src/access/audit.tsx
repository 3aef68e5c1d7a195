import type { Signal } from '@preact/signals';
import type { AnswerOf } from '@woof/protocol/http';
import { useEffect } from 'preact/hooks';
import { usePages, usePolled } from '../load.ts';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';

type Entry = AnswerOf<'audit.list'>['entries'][number];

const PAGE = 50;
const EVERY_MS = 5000;

export function Audit() {
  const { rows, next, error, more } = usePages(auditPage, 'audit');
  const newest = usePolled(() => auditPage(undefined), 'newest of the audit', EVERY_MS).value.value;
  useEffect(() => {
    if (newest && rows.value) addNewer(rows, newest.rows);
    // The first page failed, and the server answers again.
    else if (newest) void more();
  }, [newest]);
  return (
    <section class="block">
      <h2>Audit</h2>
      {error.value !== undefined && <ProblemBox error={error.value} again={more} />}
      {rows.value === undefined && error.value === undefined && <Skeleton />}
      {rows.value && <AuditTable entries={rows.value} />}
      {next.value !== undefined && (
        <button type="button" class="more" onClick={() => void more()}>
          Show older entries
        </button>
      )}
    </section>
  );
}

/** Adds what was done since the first page was loaded. */
function addNewer(rows: Signal<Entry[] | undefined>, newest: readonly Entry[]): void {
  const known = new Set(rows.value?.map(({ id }) => id));
  const newer = newest.filter(({ id }) => !known.has(id));
  if (newer.length > 0) rows.value = [...newer, ...(rows.value ?? [])];
}

async function auditPage(before: string | undefined) {
  const query = { limit: PAGE, ...(before === undefined ? {} : { before }) };
  const { entries, next } = await ask('audit.list', { query });
  return { rows: entries, next };
}

function AuditTable({ entries }: { entries: readonly Entry[] }) {
  return (
    <Table kind="audit" columns={['When', 'Who', 'What', 'About', 'From']}>
      {entries.map(({ id, at, who, role, what, target, from }) => (
        <tr key={id}>
          <td>
            <Time at={at} />
          </td>
          <td>
            {said(who.replace(/^\S+ /, ''))} <small>{role}</small>
          </td>
          <td>{what}</td>
          <td>{target !== undefined && <Target what={what} target={target} />}</td>
          <td>{from}</td>
        </tr>
      ))}
    </Table>
  );
}

function Target({ what, target }: { what: string; target: string }) {
  return what.startsWith('executions.') ? <a href={runAddress(target)}>{target}</a> : said(target);
}
