/** From which step to rerun, with which workload, and what that would reuse and run again. */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '@woof/protocol/http';
import { plainText } from '@woof/run-view';
import { useEffect } from 'preact/hooks';
import { AGAIN_MS } from '../load.ts';
import { Answers } from '../parts/answers.tsx';
import { draftOf } from '../parts/draft.ts';
import { wordsOf } from '../parts/problem.tsx';
import { said } from '../parts/said.ts';
import { go } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask, isPassing } from '../session.ts';
import type { RerunProps } from './rerun-dialog.tsx';
import { workloadChange } from './workload-change.ts';

const PAUSE_MS = 250;
const MOST = 200;

type Preview = Extract<AnswerOf<'executions.rerun'>, { reused: unknown }>;

export function RerunForm({ id, plan, workload, onClose: close }: RerunProps & { onClose: () => void }) {
  const from = draftOf(`rerun ${id} from`);
  const text = draftOf(`rerun ${id} workload`);
  const typed = text.value ?? workload ?? '';
  const change = workload === undefined ? { payload: undefined } : workloadChange(workload, typed);
  const problem = 'problem' in change ? change.problem : undefined;
  const body = {
    ...(from.value ? { from: from.value } : {}),
    ...('payload' in change && change.payload !== undefined ? { payload: change.payload } : {}),
  };
  const key = `${from.value} ${typed}`;
  const { preview, refusal, isCurrent } = usePreview(id, body, problem === undefined, key);
  const isBusy = useSignal(false);
  const failed = useSignal('');
  useEffect(() => {
    failed.value = '';
  }, [key]);
  const start = async () => {
    isBusy.value = true;
    failed.value = '';
    try {
      const started = await ask('executions.rerun', { params: { id }, body });
      from.value = undefined;
      text.value = undefined;
      close();
      go(runAddress((started as { execution_id: string }).execution_id));
    } catch (error) {
      failed.value = wordsOf(error).what;
    }
    isBusy.value = false;
  };
  const cannot = problem ?? refusal.value ?? preview.value?.problems[0];
  return (
    <>
      <label class="field">
        <span>Start from</span>
        <select
          value={from.value ?? ''}
          onChange={(event) => {
            from.value = event.currentTarget.value;
          }}
        >
          <option value="">steps that did not succeed</option>
          {plan.steps.map(({ name }) => (
            <option key={name} value={name}>
              {said(name)}
            </option>
          ))}
        </select>
      </label>
      {workload === undefined ? (
        <p class="soft">The workload is too large to edit here. The rerun uses it unchanged.</p>
      ) : (
        <label class="field">
          <span>Workload (JSON)</span>
          <textarea
            rows={Math.min(16, Math.max(3, typed.split('\n').length))}
            spellcheck={false}
            value={typed}
            aria-invalid={problem !== undefined}
            aria-describedby="rerun-problem"
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
      <p id="rerun-problem" class="bad" role="alert">
        {plainText(failed.value || cannot || '')}
      </p>
      {preview.value && problem === undefined && <PreviewLists preview={preview.value} />}
      <Answers onLeave={close}>
        <button
          type="button"
          class="main"
          disabled={isBusy.value || cannot !== undefined || !isCurrent}
          onClick={() => void start()}
        >
          Start rerun
        </button>
      </Answers>
    </>
  );
}

/** Asks when the person pauses. An older answer never replaces a newer one. */
function usePreview(id: string, body: object, isValid: boolean, key: string) {
  const preview = useSignal<Preview | undefined>(undefined);
  const previewed = useSignal<string | undefined>(undefined);
  const refusal = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (!isValid) return undefined;
    let isOld = false;
    let timer = setTimeout(() => void look(), PAUSE_MS);
    const look = async () => {
      try {
        const found = await ask('executions.rerun', { params: { id }, body: { ...body, dry_run: true } });
        if (isOld) return;
        preview.value = found as Preview;
        previewed.value = key;
        refusal.value = undefined;
      } catch (error) {
        if (isOld) return;
        refusal.value = wordsOf(error).what;
        if (isPassing(error)) timer = setTimeout(() => void look(), AGAIN_MS);
      }
    };
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [id, key, isValid]);
  return { preview, refusal, isCurrent: previewed.value === key };
}

function PreviewLists({ preview: { reused, runs } }: { preview: Preview }) {
  return (
    <div class="preview">
      <StepList title={`Runs again (${runs.length})`} steps={runs} />
      <StepList title={`Reused (${reused.length})`} steps={reused} />
    </div>
  );
}

function StepList({ title, steps }: { title: string; steps: Preview['runs'] }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="plain">
        {steps.slice(0, MOST).map(({ step, reason }) => (
          <li key={step}>
            <strong>{said(step)}</strong> <small>{said(reason)}</small>
          </li>
        ))}
      </ul>
      {steps.length > MOST && <p class="soft">and {steps.length - MOST} more</p>}
    </section>
  );
}
