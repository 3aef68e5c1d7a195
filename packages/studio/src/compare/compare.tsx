/** Two runs side by side: what is the same and what differs in their documents, inputs and steps. */
import { useSignal } from '@preact/signals';
import { fromSnapshot, type JsonObject, readPlan, type State } from '@woof/net';
import { lengthOf, StatusMark } from '@woof/run-view';
import { useEffect } from 'preact/hooks';
import { listenCalmly, type Row } from '../changes.ts';
import { useLoaded } from '../load.ts';
import { Field } from '../parts/field.tsx';
import { ProblemBox } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Table } from '../parts/table.tsx';
import { Length, Time } from '../parts/time.tsx';
import { query, setQuery } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';
import { type Compared, compareRuns, type StepFacts, type StepPair } from './compare-runs.ts';
import { Difference } from './difference.tsx';

export function Compare() {
  const [a, b] = [query.value.get('a') ?? '', query.value.get('b') ?? ''];
  return (
    <>
      <h1>Compare two runs</h1>
      <Choice key={`${a} ${b}`} a={a} b={b} />
      {a !== '' && b !== '' ? (
        <Comparison key={`${a}/${b}`} a={a} b={b} />
      ) : (
        <p class="empty">
          Enter the ids of two runs, or select two in the <a href="/runs">list of runs</a>. The page of a
          rerun links here with both.
        </p>
      )}
    </>
  );
}

function Choice({ a, b }: { a: string; b: string }) {
  const first = useSignal(a);
  const second = useSignal(b);
  const submit = (event: Event) => {
    event.preventDefault();
    setQuery({ a: first.value.trim(), b: second.value.trim() });
  };
  return (
    <form class="choice" onSubmit={submit}>
      <Field label="Run A" value={first} required />
      <Field label="Run B" value={second} required />
      <button type="submit">Compare</button>
    </form>
  );
}

function Comparison({ a, b }: { a: string; b: string }) {
  const loaded = useLoaded(() => load(a, b), `${a}/${b}`);
  useEffect(
    () =>
      listenCalmly(
        () => void loaded.again(),
        ({ execution_id: id }) => id === a || id === b,
      ),
    [loaded],
  );
  const found = loaded.value.value;
  return (
    <>
      {loaded.error.value !== undefined && <ProblemBox error={loaded.error.value} again={loaded.again} />}
      {found === undefined ? loaded.error.value === undefined && <Skeleton rows={8} /> : <Shown {...found} />}
    </>
  );
}

interface Loaded {
  rows: readonly [Row, Row];
  compared: Compared;
}

async function load(a: string, b: string): Promise<Loaded> {
  const [rowA, rowB, stateA, stateB] = await Promise.all([rowOf(a), rowOf(b), stateOf(a), stateOf(b)]);
  return { rows: [rowA, rowB], compared: compareRuns(stateA, stateB) };
}

const rowOf = (id: string): Promise<Row> => ask('executions.row', { params: { id } });

async function stateOf(id: string): Promise<State> {
  const { state } = await ask('executions.state', { params: { id } });
  const hash = String((state as JsonObject).plan_hash);
  const plan = await ask('plans.get', { params: { hash } });
  return fromSnapshot(state, readPlan(plan));
}

function Shown({ rows: [a, b], compared: { workload, result, steps } }: Loaded) {
  const differ = steps.filter(({ isDifferent }) => isDifferent).length;
  return (
    <>
      <div class="sides">
        <Side letter="A" row={a} />
        <Side letter="B" row={b} />
      </div>
      <p>{differ === 0 ? 'All steps are the same.' : `${differ} of ${steps.length} steps differ.`}</p>
      <div class="compared">
        <Difference title="Workload" diff={workload} />
        <Difference title="Result" diff={result} />
      </div>
      <Table kind="compare" columns={['Step', 'In the document', 'A', 'B', 'Result']}>
        {steps.map((pair) => (
          <StepRow key={pair.step} pair={pair} />
        ))}
      </Table>
    </>
  );
}

function Side({ letter, row }: { letter: string; row: Row }) {
  const { execution_id: id, name, status, started_at, ended_at } = row;
  return (
    <section class="side" aria-label={`Run ${letter}`}>
      <h2>
        {letter}: <a href={runAddress(id)}>{said(name)}</a>
      </h2>
      <p>
        <StatusMark status={status} />
        <span>
          <Time at={started_at} />, <Length from={started_at} to={ended_at} />
        </span>
      </p>
    </section>
  );
}

const WORDS = { same: 'same', changed: 'changed', added: 'only in B', removed: 'only in A' };

function StepRow({ pair }: { pair: StepPair }) {
  const { step, plan, definition, result, a, b } = pair;
  return (
    <tr data-different={pair.isDifferent || undefined}>
      <th scope="row">{said(step)}</th>
      <td>{plan === 'changed' ? <Difference title="changed" diff={definition} /> : WORDS[plan]}</td>
      <td>
        <Facts facts={a} other={b} />
      </td>
      <td>
        <Facts facts={b} other={a} />
      </td>
      <td>
        <Difference title="result" diff={result} />
      </td>
    </tr>
  );
}

function Facts({ facts, other }: { facts: StepFacts | undefined; other: StepFacts | undefined }) {
  if (facts === undefined) return null;
  const { status, ms, error } = facts;
  return (
    <>
      <StatusMark status={status} /> {ms !== undefined && <span class="length">{lengthOf(ms)}</span>}
      {error !== undefined && error !== other?.error && <small class="bad">{said(error, 1000)}</small>}
    </>
  );
}
