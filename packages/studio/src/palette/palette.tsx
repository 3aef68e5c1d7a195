/** Finds runs, pages and actions by a few letters. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { said } from '../parts/said.ts';
import { go } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';
import { type Choice, choicesFor } from './choices.ts';

const PAUSE_MS = 120;
const MOST_RUNS = 8;

export function Palette({ onClose }: { onClose: () => void }) {
  const text = useSignal('');
  const runs = useSignal<Choice[]>([]);
  const at = useSignal(0);
  useEffect(() => {
    const timer = setTimeout(() => void find(text.value.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text.value]);
  const find = async (q: string) => {
    const query = { limit: MOST_RUNS, roots: 'true' as const, ...(q === '' ? {} : { q }) };
    const found = await ask('executions.list', { query }).catch(() => ({ executions: [] }));
    if (q !== text.value.trim()) return;
    runs.value = found.executions.map(({ execution_id: id, name, status }) => ({
      title: said(name),
      about: `${status.replace('_', ' ')} · ${id}`,
      act: () => go(runAddress(id)),
    }));
  };
  const choices = [...choicesFor(text.value), ...runs.value];
  const current = Math.min(at.value, choices.length - 1);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.act();
  };
  const pressed = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) at.value = Math.min(Math.max(0, current + move), choices.length - 1);
    else if (event.key === 'Enter') choose(choices[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        class="find"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={choices.length > 0 ? `choice-${current}` : undefined}
        aria-label="Find a run, a page or an action"
        placeholder="Find a run, a page or an action"
        value={text.value}
        onKeyDown={pressed}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
      />
      <div id="choices" role="listbox" aria-label="Found">
        {choices.map(({ title, about, act }, index) => (
          <div
            key={`${title}/${about}`}
            id={`choice-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onMouseDown={() => choose({ title, about, act })}
          >
            {title} <small>{about}</small>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="soft">Nothing found.</p>}
    </Dialog>
  );
}
