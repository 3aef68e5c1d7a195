/** Two buttons and a note: the answer to a step that is waiting for approval. */
import { useSignal } from '@preact/signals';
import { ask, may, me } from '../session.ts';
import { draftOf } from './draft.ts';
import { act } from './notice.tsx';
import { said } from './said.ts';

const LONGEST = 2000;

interface GateAnswerProps {
  id: string;
  step: string;
  /** The name of the run. */
  name: string;
  /** The safety policy blocks the step. */
  needsOverride: boolean;
  /** Anybody if absent. */
  approvers: readonly string[] | undefined;
  onAnswered?: () => Promise<void>;
}

export function GateAnswer({ id, step, name, needsOverride, approvers, onAnswered }: GateAnswerProps) {
  const note = draftOf(`note ${id} ${step}`);
  const isBusy = useSignal(false);
  if (!may('executions.approve') || approvers?.includes(me.value!.name) === false) return null;
  const answer = async (how: 'approve' | 'reject') => {
    isBusy.value = true;
    const said = (note.value ?? '').trim();
    const override = how === 'approve' && needsOverride ? { override: true as const } : {};
    const body = { step, ...(said === '' ? {} : { note: said }), ...override };
    const isDone = await act(async () => (await ask(`executions.${how}`, { params: { id }, body })).message);
    if (isDone) note.value = undefined;
    isBusy.value = false;
    await onAnswered?.();
  };
  return (
    <div class="actions">
      {needsOverride && (
        <p class="bad">The safety policy blocks this step. Approving it overrides the policy.</p>
      )}
      <input
        placeholder="note"
        aria-label={`Note on ${step} of ${name}`}
        value={note.value ?? ''}
        onInput={(event) => {
          note.value = event.currentTarget.value;
        }}
      />
      <button type="button" class="main" disabled={isBusy.value} onClick={() => void answer('approve')}>
        Approve
      </button>
      <button type="button" disabled={isBusy.value} onClick={() => void answer('reject')}>
        Reject
      </button>
    </div>
  );
}

export function WhoMayAnswer({ approvers }: Pick<GateAnswerProps, 'approvers'>) {
  return approvers && <small> Only {said(approvers.join(', '), LONGEST)} may answer.</small>;
}
