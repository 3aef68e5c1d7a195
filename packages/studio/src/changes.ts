/** Rows of runs as they change, over one connection for all pages. */
import { signal } from '@preact/signals';
import { decodeJson } from '@woof/net';
import type { AnswerOf } from '@woof/protocol/http';
import { ask, isSignedOut } from './session.ts';

export type Row = AnswerOf<'executions.list'>['executions'][number];

export interface Listener {
  rows(rows: readonly Row[]): void;
  /** More changed than was told: what is shown must be loaded again. */
  reset(): void;
}

export const connection = signal<'live' | 'away'>('live');

const AGAIN_MS = 1000;
const listeners = new Set<Listener>();
let source: EventSource | undefined;
let later: ReturnType<typeof setTimeout> | undefined;

/** Returns the end of it. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  if (source === undefined) connect();
  return () => listeners.delete(listener);
}

function connect(): void {
  const opened = new EventSource('/v1/changes');
  source = opened;
  opened.onopen = () => {
    connection.value = 'live';
  };
  opened.addEventListener('rows', ({ data }: MessageEvent<string>) => {
    const { rows } = decodeJson<{ rows: Row[] }>(data);
    for (const listener of listeners) listener.rows(rows);
  });
  opened.addEventListener('reset', resetAll);
  opened.onerror = () => {
    connection.value = 'away';
    // The browser comes back by itself and says what it saw last, unless the server answered with a refusal.
    if (opened.readyState === EventSource.CLOSED) later = setTimeout(() => void reconnect(), AGAIN_MS);
  };
}

function resetAll(): void {
  for (const listener of listeners) listener.reset();
}

/** A new connection knows nothing of the last one. Whoever is signed out meanwhile gets none. */
async function reconnect(): Promise<void> {
  if (!(await isStillHere())) return;
  connect();
  source?.addEventListener('open', resetAll, { once: true });
}

async function isStillHere(): Promise<boolean> {
  return ask('me.get').then(
    () => true,
    (error: unknown) => !isSignedOut(error),
  );
}

export function disconnect(): void {
  clearTimeout(later);
  source?.close();
  source = undefined;
}
