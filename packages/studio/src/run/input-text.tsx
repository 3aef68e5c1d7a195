/** What the tasks of a step received, as the server renders it now: it is requested each time that it is shown. */
import { encodeJson, type Json } from '@woof/net';
import { plainLines, plainText, ScrollBox } from '@woof/run-view';
import { useLoaded } from '../load.ts';
import { wordsOf } from '../parts/problem.tsx';
import { ask } from '../session.ts';

const LONGEST = 100_000;

export function InputText({ id, step }: { id: string; step: string }) {
  const load = () => ask('executions.input', { params: { id }, query: { step } });
  const { value, error } = useLoaded(load, `input ${id} ${step}`);
  if (error.value !== undefined) return <p>{wordsOf(error.value).what}</p>;
  const { step: _, note, ...input } = value.value ?? {};
  const text = value.value === undefined ? '…' : encodeJson(input as unknown as Json, 2);
  const cut = text.length - LONGEST;
  return (
    <>
      {note !== undefined && <p>{plainText(note)}</p>}
      <ScrollBox kind="rv-value" label="Input">
        {plainLines(text.slice(0, LONGEST))}
      </ScrollBox>
      {cut > 0 && <p class="rv-none">{cut} more characters are not shown.</p>}
    </>
  );
}
