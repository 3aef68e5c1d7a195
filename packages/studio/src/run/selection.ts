/**
 * Which part of a run the user looks at: view, moment, step and log line. It is in the address, so that it can be sent.
 */
import { effect, signal } from '@preact/signals';
import type { Selection, View } from '@woof/run-view';
import { useEffect, useMemo } from 'preact/hooks';
import { query, setQuery } from '../router.ts';

const VIEWS: readonly View[] = ['graph', 'timeline', 'events', 'logs'];

/** Browsers refuse addresses that change much more often. */
const PAUSE_MS = 200;

export function useSelection(): Selection {
  const { selection, start } = useMemo(createSelection, []);
  useEffect(start, [start]);
  return selection;
}

function createSelection() {
  const places = {
    view: place(viewOf, (view) => ({ view: view === 'graph' ? undefined : view }), 'push'),
    seq: place(seqOf, (seq) => ({ seq: seq === 'last' ? undefined : String(seq) }), 'replace'),
    step: place(textOf('step'), (step) => ({ step }), 'push'),
    line: place(textOf('line'), (line) => ({ line }), 'replace'),
  };
  const selection: Selection = {
    view: places.view.value,
    seq: places.seq.value,
    step: places.step.value,
    line: places.line.value,
  };
  const start = () => {
    const stops = Object.values(places).map(({ begin }) => begin());
    return () => {
      for (const stop of stops) stop();
    };
  };
  return { selection, start };
}

const viewOf = (text: URLSearchParams): View => VIEWS.find((view) => view === text.get('view')) ?? 'graph';

function seqOf(text: URLSearchParams): number | 'last' {
  const said = text.get('seq') ?? '';
  return /^\d{1,9}$/.test(said) ? Number(said) : 'last';
}

const textOf = (name: string) => (text: URLSearchParams) => text.get(name) ?? undefined;

/** A signal and a part of the address, kept in sync. */
function place<T>(
  read: (text: URLSearchParams) => T,
  write: (value: T) => Record<string, string | undefined>,
  how: 'push' | 'replace',
) {
  const value = signal(read(query.peek()));
  const begin = () => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const put = () => {
      if (value.peek() !== read(query.peek())) setQuery(write(value.peek()), how);
    };
    const stopReading = effect(() => {
      value.value = read(query.value);
    });
    const stopWriting = effect(() => {
      clearTimeout(timer);
      if (value.value === read(query.peek())) return;
      if (how === 'push') put();
      else timer = setTimeout(put, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stopReading();
      stopWriting();
    };
  };
  return { value, begin };
}
