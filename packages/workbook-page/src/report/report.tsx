/** The page of a finished run: the views of a run over its own data, and a table that is readable without scripts. */
import {
  frameOf,
  localSource,
  type Moment,
  RunViews,
  type Selection,
  signOf,
  useMoment,
  useValue,
  ValueBlock,
  type View,
  wordOf,
  writable,
} from '@woof/run-view';
import { render } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ReportData } from './run-data.ts';

export async function showReport(run: ReportData, root: HTMLElement): Promise<void> {
  const source = localSource(run);
  const selection: Selection = {
    view: writable<View>('graph'),
    seq: writable<number | 'last'>('last'),
    step: writable(await firstToShow(source)),
    line: writable<string | undefined>(undefined),
  };
  const table = root.querySelector('table.steps');
  table?.addEventListener('click', (event) => {
    const row = (event.target as Element).closest<HTMLElement>('tr[data-step]');
    if (row !== null) selection.step.value = row.dataset.step;
  });
  const place = document.createElement('div');
  root.prepend(place);
  render(<Report run={run} source={source} selection={selection} root={root} />, place);
}

type Source = ReturnType<typeof localSource>;

interface ReportProps {
  run: ReportData;
  source: Source;
  selection: Selection;
  root: HTMLElement;
}

function Report({ run, source, selection, root }: ReportProps) {
  const moment = useMoment(source, selection);
  const selected = useValue(selection.step);
  useLayoutEffect(() => {
    if (moment) updateTable(root, source, moment, selected);
  }, [moment, selected]);
  const frame = frameOf(run.document ?? '', run.place, selected);
  const placed = (said: string, task: string | undefined) =>
    run.tracebacks.find((each) => each.said === said && each.step === selected && each.task === task)
      ?.placed ?? said;
  return (
    <>
      <RunViews source={source} selection={selection} moment={moment} pane={{ frame, placed }} />
      <Whole source={source} moment={moment} />
    </>
  );
}

function Whole({ source, moment }: { source: Source; moment: Moment | undefined }) {
  const { result, workload, ctx } = moment ?? {};
  const values = { 'Result of the run': result, Workload: workload, Context: ctx };
  return (
    <div class="whole rv">
      {Object.entries(values).map(
        ([title, value]) =>
          value !== undefined &&
          value.text !== '{}' && (
            <div key={title}>
              <ValueBlock title={title} value={value} source={source} />
            </div>
          ),
      )}
    </div>
  );
}

function updateTable(
  root: HTMLElement,
  { plan }: Source,
  moment: Moment,
  selected: string | undefined,
): void {
  root.dataset.status = moment.status;
  root.dataset.seq = String(moment.seq);
  const marks = new Map(plan.steps.map(({ name }, i) => [name, moment.steps[i]!]));
  for (const row of root.querySelectorAll<HTMLElement>('tr[data-step]')) {
    const { status, runs } = marks.get(row.dataset.step!)!;
    row.dataset.status = status;
    row.toggleAttribute('data-selected', row.dataset.step === selected);
    row.querySelector('.status')!.textContent = `${signOf(status)} ${wordOf(status)}`;
    row.querySelector('.runs')!.textContent = String(runs);
  }
}

/** The step that failed, else the one that ran last. */
async function firstToShow({ plan, at, timeline, head }: Source): Promise<string | undefined> {
  const { error } = await at(head.peek().length);
  const last = (await timeline()).reduce<{ step: string; end?: number } | undefined>(
    (best, span) => ((span.end ?? 0) >= (best?.end ?? 0) ? span : best),
    undefined,
  );
  return error?.step ?? last?.step ?? plan.steps[0]?.name;
}
