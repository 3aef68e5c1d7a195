/** A run whose log this version cannot fold: what is known of it, and its events as they are. */
import { encodeJson } from '@woof/net';
import { Problem } from '@woof/protocol';
import { usePages } from '../load.ts';
import { ProblemBox, wordsOf } from '../parts/problem.tsx';
import { Table } from '../parts/table.tsx';
import { exact } from '../parts/time.tsx';
import { ask } from '../session.ts';

const PAGE = 100;
const LONGEST = 2000;

export function Unreadable({ id, failure }: { id: string; failure: unknown }) {
  // The server reads no event of a log that contains one of a newer version.
  const isNewer = failure instanceof Problem && failure.code === 'version/newer';
  return isNewer ? <ProblemBox error={failure} /> : <RawEvents id={id} why={wordsOf(failure).what} />;
}

function RawEvents({ id, why }: { id: string; why: string }) {
  const { rows: events, next, error, more } = usePages((from: number | undefined) => eventPage(id, from), id);
  return (
    <>
      <div class="problem" role="alert">
        <p>
          <strong>Studio cannot show this run: {why}</strong>
        </p>
        <p>
          Its log may come from another version of Woof. Update the server, or read the events below; the
          command <code>woof events {id}</code> prints them all.
        </p>
      </div>
      <Table kind="raw" columns={[{ name: 'Event', as: 'number' }, 'Time', 'Name', 'Step', 'Data']}>
        {(events.value ?? []).map(({ seq, timestamp, name, step, data }) => (
          <tr key={seq}>
            <td class="number">{seq}</td>
            <td>{exact(Date.parse(timestamp))}</td>
            <td>{name}</td>
            <td>{step}</td>
            <td>
              <code>{encodeJson(data).slice(0, LONGEST)}</code>
            </td>
          </tr>
        ))}
      </Table>
      {error.value !== undefined && <ProblemBox error={error.value} again={more} />}
      {next.value !== undefined && (
        <button type="button" class="more" onClick={() => void more()}>
          Show more events
        </button>
      )}
    </>
  );
}

async function eventPage(id: string, from = 0) {
  const page = await ask('executions.events', { params: { id }, query: { from, limit: PAGE } });
  return { rows: page.events, next: page.next };
}
