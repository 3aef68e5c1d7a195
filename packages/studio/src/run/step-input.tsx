/**
 * The input of a step's tasks. Requested only when somebody wants to see it, because the server must render it again.
 */
import { useSignal } from '@preact/signals';
import { encodeJson, type Json } from '@woof/net';
import { plainLines, plainText, ScrollBox } from '@woof/run-view';
import { wordsOf } from '../parts/problem.tsx';
import { ask } from '../session.ts';

const LONGEST = 100_000;

export function StepInput({ id, step }: { id: string; step: string }) {
  const text = useSignal<string | undefined>(undefined);
  const remark = useSignal<string | undefined>(undefined);
  const load = async (isOpen: boolean) => {
    if (!isOpen || text.value !== undefined) return;
    try {
      const answer = await ask('executions.input', { params: { id }, query: { step } });
      const { step: _, note, ...input } = answer;
      text.value = encodeJson(input as unknown as Json, 2);
      remark.value = note;
    } catch (error) {
      text.value = wordsOf(error).what;
    }
  };
  const cut = (text.value ?? '').length - LONGEST;
  return (
    <details onToggle={(event) => void load(event.currentTarget.open)}>
      <summary>Input</summary>
      {remark.value !== undefined && <p>{plainText(remark.value)}</p>}
      <ScrollBox kind="rv-value" label="Input">
        {plainLines((text.value ?? '…').slice(0, LONGEST))}
      </ScrollBox>
      {cut > 0 && <p class="rv-none">{cut} more characters are not shown.</p>}
    </details>
  );
}
