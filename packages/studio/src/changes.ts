/**
 * Rows of runs as they change, over one connection for all pages of a tab. A browser opens only six connections to a
 * server for all its tabs, so a tab that nobody looks at, or whose page needs no rows, holds none.
 */
import { signal } from '@preact/signals';
import { decodeJson } from '@woof/net';
import type { AnswerOf } from '@woof/protocol/http';
import { whenSeen } from './seen.ts';
import { ask, isSignedOut } from './session.ts';

export type Row = AnswerOf<'executions.list'>['executions'][number];

export interface Listener {
  rows(rows: readonly Row[]): void;
  /** More changed than was reported: everything shown must be loaded again. */
  reset(): void;
}

export const connection = signal<'live' | 'away'>('live');

const AGAIN_MS = 1000;
/** Whoever goes to another page, or looks away only for a moment, keeps the connection. */
const KEPT_MS = 1000;
const listeners = new Set<Listener>();
let source: EventSource | undefined;
let later: ReturnType<typeof setTimeout> | undefined;

/** Returns a function that stops listening. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  hold();
  return () => {
    listeners.delete(listener);
    setTimeout(hold, KEPT_MS);
  };
}

const isWanted = (): boolean => listeners.size > 0 && !document.hidden;

/** Connects if somebody looks, and disconnects otherwise. */
function hold(): void {
  if (!isWanted()) disconnect();
  else if (source === undefined) connect();
}

whenSeen((isSeen) => {
  if (isSeen) hold();
  else setTimeout(hold, KEPT_MS);
});

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
  // What changed between the answer that a list shows and the beginning of the stream is not in the stream.
  opened.addEventListener('ready', resetAll);
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

/** Nobody who has been signed out meanwhile gets a new connection. */
async function reconnect(): Promise<void> {
  const closed = source;
  if (!(await isStillHere()) || source !== closed) return;
  if (isWanted()) connect();
  // Whoever looks again soon gets a new connection only if none is held.
  else disconnect();
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
  connection.value = 'live';
}
