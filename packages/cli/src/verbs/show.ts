import { accountOf, encodeJson, type State } from '@woof/net';
import type { ExecutionRow } from '@woof/stores';
import { HOME_OPTIONS } from '../home-flags.ts';
import { nestedFailure } from '../nested-failure.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { iterationCount } from '../progress/step-line.ts';
import {
  duration,
  glyph,
  harmless,
  oneLine,
  painter,
  preview,
  shorten,
  statusWord,
  table,
} from '../terminal.ts';
import { columnsOn } from '../text-width.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';
import { tracebackLines, whyRunFailed } from '../why-run-failed.ts';

export const verb = defineVerb({
  args: ['RUN'],
  options: { json: JSON_FLAG, ...HOME_OPTIONS },
  examples: [
    ['woof show last', 'show the newest run'],
    ['woof show k3x9 --json', 'show a run as JSON'],
  ],
  run: ([word = ''], flags) =>
    withRun(word, flags, async (run) => {
      const state = await stateOf(run);
      const children = await run.home.store.executions({ parent: run.row.execution_id });
      const interpreters = await interpretersOf(run, state);
      if (flags.json) console.log(encodeJson(toJson(run, state, children, interpreters)));
      else process.stdout.write(await toText(run, state, children, interpreters));
      return 0;
    }),
});

/** For each cell of a notebook, the program that ran it; cells from the cache have none. */
type Interpreters = ReadonlyMap<string, string>;

async function interpretersOf({ home, row }: OpenRun, { plan }: State): Promise<Interpreters> {
  const found = new Map<string, string>();
  if (plan.kind !== 'notebook') return found;
  for await (const { events } of home.frames(row, false)) {
    for (const event of events) {
      const program = event.name === 'task.done' ? event.data.outcome.meta?.interpreter : undefined;
      if (program && event.step) found.set(event.step, String(program));
    }
  }
  return found;
}

/** One line per program, with its cells. */
function interpreterLines(interpreters: Interpreters): string[] {
  return [...new Set(interpreters.values())].map((program) => {
    const cells = [...interpreters].filter(([, each]) => each === program).map(([cell]) => cell);
    const more = cells.length > 8 ? `, and ${cells.length - 8} more` : '';
    return `  with  ${harmless(program)}  (${harmless(cells.slice(0, 8).join(', '))}${more})`;
  });
}

function toJson(
  { row }: OpenRun,
  state: State,
  children: readonly ExecutionRow[],
  interpreters: Interpreters,
) {
  const account = accountOf(state);
  const steps = Object.entries(accountOf(state).steps).map(([name, step]) => {
    const { started_at, ended_at: end, retries, stats, because } = state.steps.get(name) ?? {};
    const ended_at = step.status === 'running' ? undefined : end;
    const interpreter = interpreters.get(name);
    return [name, { ...step, started_at, ended_at, retries, stats, because, interpreter }] as const;
  });
  return {
    ...row,
    ...account,
    steps: Object.fromEntries(steps),
    result: state.result,
    workload: state.workload,
    ctx: state.ctx,
    events: state.seq,
    children: children.map(({ execution_id, name, status }) => ({ execution_id, name, status })),
  };
}

async function toText(
  run: OpenRun,
  state: State,
  children: readonly ExecutionRow[],
  interpreters: Interpreters,
): Promise<string> {
  const { row } = run;
  const paint = painter(process.stdout);
  const lasted = duration((row.ended_at ?? Date.now()) - row.started_at);
  const nested = await nestedFailure(run, state, paint);
  const trace = [...tracebackLines(state, state.error?.step, row.file, paint), ...nested];
  const lines = [
    `${glyph(row.status, paint)} ${paint(harmless(row.name), 'bold')}  ${statusWord(row.status, paint)}  ${lasted}`,
    `  run   ${row.execution_id}${row.parent ? `  (called by ${row.parent})` : ''}`,
    ...(row.file ? [`  file  ${harmless(row.file)}`] : []),
    ...interpreterLines(interpreters),
    ...(await interrupted(run)),
    '',
    stepTable(state).trimEnd(),
    ...(children.length > 0 ? ['', `nested runs (${children.length}):`, childTable(children).trimEnd()] : []),
    ...(state.error ? ['', ...whyRunFailed(state, row.file, paint), ...trace] : []),
  ];
  return `${lines.join('\n')}\n`;
}

async function interrupted({ home, row }: OpenRun): Promise<string[]> {
  if (row.status !== 'running' || (await home.isDriven(row.execution_id))) return [];
  return [
    `  note  no process drives the run; continue it with: woof resume ${row.parent ?? row.execution_id}`,
  ];
}

function stepTable(state: State): string {
  const paint = painter(process.stdout);
  const rows = Object.entries(accountOf(state).steps).map(([name, { status, runs, result, error }]) => {
    const summary = state.steps.get(name);
    const { started_at: start, ended_at: end, stats, because, retries = 0 } = summary ?? {};
    const until = status === 'running' || end === undefined ? Date.now() : end;
    const more = [
      runs > 1 ? `${runs} runs` : '',
      stats ? iterationCount(stats) : '',
      retries > 0 ? `${retries} ${retries === 1 ? 'retry' : 'retries'}` : '',
    ].filter((part) => part !== '');
    const failed = error as { message?: string } | undefined;
    const outcome = failed?.message ?? because ?? preview(result, 60);
    return [
      `  ${glyph(status, paint)} ${harmless(name)}`,
      statusWord(status, paint),
      start === undefined ? '' : duration(until - start),
      more.join(', '),
      paint(shorten(oneLine(outcome), 80), 'dim'),
    ];
  });
  return table(rows, columnsOn(process.stdout));
}

function childTable(children: readonly ExecutionRow[]): string {
  const paint = painter(process.stdout);
  return table(
    children
      .slice(0, 20)
      .map((row) => [`  ${glyph(row.status, paint)} ${row.execution_id}`, row.status, harmless(row.name)]),
    columnsOn(process.stdout),
  );
}
