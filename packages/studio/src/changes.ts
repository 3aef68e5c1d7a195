/** Rows of runs as they change, over one connection for all pages. */
import { signal } from '@preact/signals';
import { decodeJson } from '@woof/net';
import type { AnswerOf } from '@woof/protocol/http';
import { ask, isSignedOut } from './session.ts';

export type Row = AnswerOf<'executions.list'>['executions'][number];

export interface Listener {
  rows(rows: readonly Row[]): void;
  /** More changed than was reported: everything shown must be loaded again. */
  reset(): void;
}

export const connection = signal<'live' | 'away'>('live');

const AGAIN_MS = 1000;
const listeners = new Set<Listener>();
let source: EventSource | undefined;
let later: ReturnType<typeof setTimeout> | undefined;

/** Returns a function that stops listening. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  if (source === undefined) connect();
  return () => listeners.delete(listener);
}

const BETWEEN_MS = 1000;

/** Calls back when runs changed, at most once per second. Returns a function that stops listening. */
export function listenCalmly(act: () => void, isOf: (row: Row) => boolean = () => true): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      act();
    }, BETWEEN_MS);
  };
  const forget = listen({ rows: (rows) => rows.some(isOf) && later(), reset: later });
  return () => {
    forget();
    clearTimeout(timer);
  };
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
    // The browser reconnects by itself and sends what it saw last, unless the server refused the connection.
    if (opened.readyState === EventSource.CLOSED) later = setTimeout(() => void reconnect(), AGAIN_MS);
  };
}

function resetAll(): void {
  for (const listener of listeners) listener.reset();
}

/** A new connection knows nothing of the last one. Nobody who has been signed out meanwhile gets one. */
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
