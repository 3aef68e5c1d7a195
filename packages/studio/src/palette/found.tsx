/** What the palette found: one of it is current, and the keys of the field choose. */
import { type Signal, useSignal } from '@preact/signals';
import { wordOf } from '@woof/run-view';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { said } from '../parts/said.ts';
import { go } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask } from '../session.ts';
import { type Choice, choicesFor } from './choices.ts';

const PAUSE_MS = 120;
const MOST_RUNS = 8;

interface FoundProps {
  text: string;
  /** The id of the current choice. */
  active: Signal<string | undefined>;
  /** Takes a key of the field, and returns whether it did something. */
  press: { current: (key: string) => boolean };
  /** Keys that were pressed before this was loaded. */
  early: { current: string[] };
  onClose: () => void;
}

export function Found({ text, active, press, early, onClose }: FoundProps) {
  const runs = useRuns(text.trim());
  const at = useSignal(0);
  const choices = [...choicesFor(text), ...runs];
  const last = choices.length - 1;
  const here = () => Math.min(at.value, last);
  const current = here();
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.act();
  };
  useEffect(() => {
    at.value = 0;
  }, [text]);
  useLayoutEffect(() => {
    active.value = current < 0 ? undefined : `choice-${current}`;
    press.current = (key) => {
      const move = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (move !== undefined) at.value = Math.min(Math.max(0, here() + move), last);
      else if (key === 'Enter') choose(choices[here()]);
      else return false;
      return true;
    };
  });
  useEffect(() => {
    for (const key of early.current.splice(0)) press.current(key);
  }, []);
  return (
    <>
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
    </>
  );
}

/** Asks when the user pauses typing. */
function useRuns(q: string): Choice[] {
  const runs = useSignal<Choice[]>([]);
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(async () => {
      const query = { limit: MOST_RUNS, roots: 'true' as const, ...(q === '' ? {} : { q }) };
      const found = await ask('executions.list', { query }).catch(() => ({ executions: [] }));
      if (isOld) return;
      runs.value = found.executions.map(({ execution_id: id, name, status }) => ({
        title: said(name),
        about: `${wordOf(status)} · ${id}`,
        act: () => go(runAddress(id)),
      }));
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [q]);
  return runs.value;
}
