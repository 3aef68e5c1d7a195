import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { isNotebookFile } from '@woof/documents';
import { nearest } from '@woof/expr/nearest';
import { accountOf, encodeJson, explain, pendingReason, type Reason, type State } from '@woof/net';
import { isLocalDriver } from '@woof/stores';
import { HOME_OPTIONS } from '../home-flags.ts';
import { nestedFailure } from '../nested-failure.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { glyph, harmless, painter, table } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';
import { whyCell } from '../why-cell.ts';
import { withGuards } from '../why-guards.ts';
import { tracebackLines, whyRunFailed } from '../why-run-failed.ts';

export const verb = defineVerb({
  args: ['RUN', '[STEP]'],
  about:
    'RUN can also be a notebook, and STEP one of its cells. Then Woof says whether the cell would run again, and why.',
  options: {
    set: {
      doc: 'for a notebook: the --set that you give to woof run; repeatable',
      value: 'KEY=VALUE',
      many: true,
    },
    allow: { doc: 'for a notebook: the --allow that you give to woof run', value: 'LIST' },
    json: JSON_FLAG,
    ...HOME_OPTIONS,
  },
  examples: [
    ['woof why last', 'explain why the newest run failed or is waiting'],
    ['woof why last publish', 'explain why the step "publish" did not start'],
    ['woof why analysis.woofnb plot', 'explain why the cell "plot" would run again'],
  ],
  run: ([word = '', step], flags) => {
    if (isNotebookFile(word)) return whyCell(word, step, flags);
    refuseFile(word);
    return withRun(word, flags, async (run) => {
      const state = await stateOf(run);
      const reasons = await reasonsOf(run, state, step);
      const { execution_id, status } = state;
      if (flags.json) console.log(encodeJson({ execution_id, status, reasons }));
      else process.stdout.write(await toText(run, state, reasons, step));
      return 0;
    });
  },
});

/** No run id has an extension. */
function refuseFile(word: string): void {
  if (extname(word) === '' || !statSync(word, { throwIfNoEntry: false })?.isFile()) return;
  throw new UserError(
    `${harmless(word)} is a file, and woof why explains a run or a notebook`,
    'for the newest run: woof why last',
    2,
  );
}

async function reasonsOf(run: OpenRun, state: State, step: string | undefined): Promise<Reason[]> {
  const all = await withGuards(run, state, explain(state));
  if (state.status === 'running' && !(await run.home.isDriven(state.execution_id))) {
    const fix = `woof resume ${state.execution_id}`;
    all.unshift({
      step: '',
      id: '',
      kind: 'driver',
      reason: `no process drives the run; continue it with: ${fix}`,
    });
  } else if (!isLocalDriver(run.row.driver) && all.some(({ kind }) => kind === 'worker')) {
    const reasons = await run.home.whyQueued(state.execution_id);
    const fix = 'list the workers: woof workers; start one: woof worker';
    all.push(...[...reasons, fix].map((reason): Reason => ({ step: '', id: '', kind: 'note', reason })));
  }
  if (step === undefined) return all;
  checkStep(state, step);
  const about = all.filter((reason) => reason.step === step || reason.step === '');
  return about.some((reason) => reason.step === step) ? about : [...about, statusReason(state, step)];
}

function statusReason(state: State, step: string): Reason {
  const { status } = accountOf(state).steps[step]!;
  const { because, error } = state.steps.get(step) ?? {};
  const why = status === 'pending' ? pendingReason(state, step) : (because ?? error?.message);
  return { step, id: step, kind: status, reason: why === undefined ? status : `${status}: ${why}` };
}

export function checkStep(state: State, step: string): void {
  const names = state.plan.steps.map(({ name }) => name);
  if (names.includes(step)) return;
  const near = nearest(step, names);
  throw new UserError(
    `the run has no step "${step}"`,
    near ? `did you mean "${near}"?` : `it has: ${names.join(', ')}`,
    2,
  );
}

async function toText(
  run: OpenRun,
  state: State,
  reasons: readonly Reason[],
  step?: string,
): Promise<string> {
  const { row } = run;
  const paint = painter(process.stdout);
  const head = `${glyph(state.status, paint)} ${harmless(row.name)}  ${state.status}  ${state.execution_id}\n`;
  const failure = step === undefined ? whyRunFailed(state, row.file, paint) : [];
  const isFailed = step === undefined || step === state.error?.step;
  const nested = isFailed ? await nestedFailure(run, state, paint) : [];
  const trace = [...tracebackLines(state, step ?? state.error?.step, row.file, paint), ...nested];
  const rest = reasons.filter(({ reason }) => failure.length === 0 || reason !== state.error?.message);
  const rows = rest.map((each) => [`  ${paint(harmless(each.step || '·'), 'bold')}`, harmless(each.reason)]);
  const nothing = rows.length === 0 && failure.length === 0 ? '  nothing to explain: every step ran\n' : '';
  const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}\n`).join('');
  const reasonsFirst = step !== undefined;
  const [before, after] = reasonsFirst ? [[], trace] : [[...failure, ...trace], []];
  return `${head}${indented(before)}${table(rows)}${indented(after)}${nothing}`;
}
