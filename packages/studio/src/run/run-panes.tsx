/** The views of a run, with what the server knows about the step that is chosen. */
import { inDocument } from '@woof/documents/places';
import {
  frameOf,
  type Moment,
  plainLines,
  type RunSource,
  RunViews,
  type Selection,
  useMoment,
  useValue,
} from '@woof/run-view';
import { useLoaded } from '../load.ts';
import { said } from '../parts/said.ts';
import { runAddress } from '../run-address.ts';
import { ask, isMissing, may } from '../session.ts';
import { askForRerun } from './rerun-dialog.tsx';
import { StepInput } from './step-input.tsx';
import { type Source, textOfStep } from './step-text.ts';

interface PanesProps {
  source: RunSource;
  selection: Selection;
  status: Moment['status'];
}

export function RunPanes({ source, selection, status }: PanesProps) {
  const moment = useMoment(source, selection);
  const text = useLoaded(() => sourceOf(source.id), `source ${source.id} ${status}`).value.value;
  const step = useValue(selection.step);
  const frame = text && frameOf(text.text, text.error, step);
  const isEnded = useValue(source.head).connection === 'over';
  const pane = {
    frame,
    placed:
      text &&
      ((traceback: string, task: string | undefined) =>
        inDocument(traceback, { plan: source.plan, step, task }, text.file ?? 'document')),
    hrefOf: (id: string) => runAddress(id),
    input: step !== undefined && <StepInput key={step} source={source} step={step} />,
    children: step !== undefined && (
      <>
        {isEnded && may('executions.rerun') && (
          <button type="button" class="rv-load" onClick={() => askForRerun(source.id, step)}>
            Rerun from here
          </button>
        )}
        {text && frame === undefined && <StepText source={text} step={step} />}
      </>
    ),
  };
  return <RunViews source={source} selection={selection} moment={moment} pane={pane} />;
}

/** Undefined: the server did not keep the document of this run. */
async function sourceOf(id: string): Promise<Source | undefined> {
  try {
    return await ask('executions.source', { params: { id } });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function StepText({ source, step }: { source: Source; step: string }) {
  const found = textOfStep(source, step);
  if (found === undefined) return null;
  return (
    <details>
      <summary>
        Lines {found.from} to {found.to} of {said(source.file ?? 'the document')}
        {found.to < found.end && ` (the step ends at line ${found.end})`}
      </summary>
      <pre class="lines">{plainLines(found.text)}</pre>
    </details>
  );
}
