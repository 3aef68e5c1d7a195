/** A run of the server for the views: folded in a worker of its own, which ends with the page. */
import { type Signal, signal } from '@preact/signals';
import type { Reply } from '@woof/client/http';
import type { Plan } from '@woof/net';
import { type Head, isMatch, type LogPage, type LogQuery, linesOf, pieceCursor } from '@woof/run-view';
import { whenSeen } from '../seen.ts';
import { ask, askRaw, endSession, isSignedOut } from '../session.ts';
import { errorOf, type FeedCall, type FeedCalls, type FromFeed, type ToFeed } from './feed-messages.ts';
import { foldWorker } from './own-worker.ts';
import type { ServerSource } from './run-now.ts';

export interface OpenRun {
  /** Undefined until it is loaded. */
  source: Signal<ServerSource | undefined>;
  /** Why the server is away; undefined while it answers. */
  away: Signal<string | undefined>;
  /** Why the run cannot be followed any further. What was shown stays. */
  problem: Signal<unknown>;
  close(): void;
}

export function openRun(id: string): OpenRun {
  const worker = foldWorker();
  const say = (message: ToFeed) => worker.postMessage(message);
  const calls = new Calls(say);
  const source = signal<ServerSource | undefined>(undefined);
  const away = signal<string | undefined>(undefined);
  const problem = signal<unknown>(undefined);
  let head: Signal<Head> | undefined;
  const fail = (error: Error) => {
    if (isSignedOut(error)) endSession();
    problem.value = error;
  };
  worker.onerror = (event) => fail(new Error(event.message || 'the worker of this page could not start'));
  worker.onmessage = ({ data }: MessageEvent<FromFeed>) => {
    if (data.type === 'opened') {
      head = signal(data.head);
      source.value = sourceOf(id, data.plan, head, calls);
    } else if (data.type === 'head') head!.value = data.head;
    else if (data.type === 'away') away.value = data.why;
    else if (data.type === 'failed') fail(errorOf(data.failure));
    else calls.settle(data);
  };
  say({ type: 'open', id, isSeen: !document.hidden });
  const forget = whenSeen((isSeen) => say({ type: 'see', isSeen }));
  const close = () => {
    forget();
    worker.terminate();
  };
  return { source, away, problem, close };
}

function sourceOf(id: string, plan: Plan, head: Signal<Head>, calls: Calls): ServerSource {
  return {
    id,
    plan,
    head,
    now: (...args) => calls.make('now', args),
    drawing: (...args) => calls.make('drawing', args),
    at: (...args) => calls.make('at', args),
    step: (...args) => calls.make('step', args),
    events: (...args) => calls.make('events', args),
    seqAt: (...args) => calls.make('seqAt', args),
    timeline: (...args) => calls.make('timeline', args),
    iterations: (...args) => calls.make('iterations', args),
    logs: (query) => logs(id, query),
    value: async (key, most) => {
      const params = { sha256: digestOf(key) };
      return beginningOf(await askRaw('blobs.get', { params }), most);
    },
    download: (key) => `/v1/blobs/${encodeURIComponent(digestOf(key))}`,
  };
}

/** Reads no further than necessary, and cancels the rest. */
async function beginningOf({ body }: Reply, most = Number.POSITIVE_INFINITY): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for await (const piece of body) {
    text += decoder.decode(piece.subarray(0, most - size), { stream: true });
    size += piece.length;
    if (size >= most) break;
  }
  return text;
}

const digestOf = (key: string): string => key.replace(/^sha256:/, '');

async function logs(id: string, { after, before, limit, step, q }: LogQuery): Promise<LogPage> {
  const place =
    after !== undefined
      ? { from: pieceCursor(after) }
      : before !== undefined
        ? { before: pieceCursor(before) }
        : { tail: limit };
  const query = { ...place, limit, ...(step === undefined ? {} : { step }), ...(q ? { q } : {}) };
  const { lines: pieces, previous } = await ask('executions.logs', { params: { id }, query });
  const lines = pieces.flatMap(linesOf).filter((line) => isMatch(line, q));
  return { lines, more: after === undefined ? previous !== undefined : pieces.length === limit };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Calls to the worker that are not answered yet. */
class Calls {
  #last = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(private readonly send: (message: ToFeed) => void) {}

  make<N extends FeedCall>(name: N, args: Parameters<FeedCalls[N]>): ReturnType<FeedCalls[N]> {
    const call = ++this.#last;
    const answer = new Promise((resolve, reject) => this.#waiting.set(call, { resolve, reject }));
    this.send({ type: 'call', call, name, args });
    return answer as ReturnType<FeedCalls[N]>;
  }

  settle(message: FromFeed & { type: 'answer' | 'refusal' }): void {
    const waiting = this.#waiting.get(message.call);
    this.#waiting.delete(message.call);
    if (message.type === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(errorOf(message.failure));
  }
}
