/**
 * A job receives the same assignment wherever it runs, and keeps it: in this process, in another one, or after a crash.
 */
import {
  type Assignment,
  decodeJson,
  type Event,
  encodeJson,
  type JobPort,
  type Json,
  type JsonObject,
  type Plan,
  type State,
  type Step,
} from '@woof/net';
import { PROTOCOL_VERSION, toWire, type WorkApi } from '@woof/protocol';
import { type BlobStore, MemoryStore, type SharedStore, StoreError } from '@woof/stores';
import { arc, loop, plan, randomPlan, step, task } from '@woof/testkit';
import type { Tool } from '@woof/tools';
import { RemoteWorker, Worker } from '@woof/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bindings } from './bindings.ts';
import { Desk } from './desk.ts';
import { Engine } from './engine.ts';
import { readEvents } from './replay.ts';
import { WorkService } from './work-service.ts';

const SLOTS = 200;
const blobs = { bring: async () => {} } as unknown as BlobStore;

type Gate = (call: { input: JsonObject; attempt: number }) => Promise<void> | void;

/** `pure` runs ahead of the disk, `effect` does not; each returns what it read. */
function toolsOf(gate: Gate): Map<string, Tool> {
  const toolOf = (kind: string, pure: boolean): Tool => ({
    schema: { kind, summary: '', fields: {}, ...(pure ? { pure } : {}) },
    run: async (call) => {
      await gate(call);
      return { status: 'ok', result: call.input };
    },
  });
  return new Map([toolOf('pure', true), toolOf('effect', false)].map((tool) => [tool.schema.kind, tool]));
}

function newWorker(gate: Gate, onFree: (id: string) => void): Worker {
  const logs = { write: () => {}, close: async () => {} };
  const tools = toolsOf(gate);
  return new Worker({ id: 'w', slots: SLOTS, tools, blobs, logs, sandbox: false, hidden: [], onFree });
}

interface Run {
  state: State;
  events: Event[];
  /** By job and fence: the assignment as the wire would carry it. */
  given: Map<string, string>;
}

type Given = Pick<Run, 'given'> & { kept: Assignment[] };

const wireText = (assignment: Assignment): string => {
  const { jobs, executions } = toWire([{ ...assignment, leased_at: 0 }], () => 'plan');
  return encodeJson([jobs, executions] as unknown as Json);
};

function note({ given, kept }: Given, assignment: Assignment): void {
  // The pipeline belongs to the worker.
  const { pipeline } = assignment;
  const copy = { ...assignment, pipeline: { ...pipeline } };
  given.set(`${assignment.job_id} ${assignment.fence}`, wireText(copy));
  kept.push(copy);
}

async function runHere(document: Plan, store: SharedStore, gate: Gate = () => {}): Promise<Run> {
  const seen: Given = { given: new Map(), kept: [] };
  const worker = newWorker(gate, () => engine.slotFreed());
  const execute = worker.execute.bind(worker);
  worker.execute = (assignment: Assignment, name: string, port: JobPort) => {
    note(seen, assignment);
    execute(assignment, name, port);
  };
  const engine: Engine = new Engine({ store, blobs, executor: worker });
  if ((await engine.adopt(ID)) === undefined)
    await engine.start({ plan: document, source: {}, workload: WORKLOAD, executionId: ID });
  return ended(store, await endOf(engine), seen);
}

const ID = '20260101-000000-aaaaaaaa';
const WORKLOAD = { n: 1 };

async function runElsewhere(document: Plan, gate: Gate = () => {}): Promise<Run> {
  const store = new MemoryStore();
  const seen: Given = { given: new Map(), kept: [] };
  const desk: Desk = new Desk({ onFree: () => engine.slotFreed() });
  const engine: Engine = new Engine({ store, blobs, executor: desk, driver: 'server' });
  const onLog = async () => {};
  const service = new WorkService({ engine, desk, store, ttlMs: 60_000, now: Date.now, onLog });
  const worker: Worker = newWorker(gate, (id) => remote.jobEnded(id));
  const kinds = ['pure', 'effect'];
  const about = { protocol: PROTOCOL_VERSION, version: 'test', slots: SLOTS, labels: {}, kinds };
  const folders = { release() {}, ended() {}, close() {} };
  const place = (assignment: Assignment) => {
    note(seen, assignment);
    return assignment;
  };
  let clockMs = 0;
  const remote: RemoteWorker = new RemoteWorker({
    api: carried(service),
    worker,
    blobs,
    info: { worker: 'w', ...about },
    now: () => clockMs,
    uptime: () => clockMs,
    folders: { ...folders, place },
    onFatal: (error) => {
      throw error;
    },
  });
  // A worker hands back a lease that may be older than itself, by a clock of milliseconds.
  clockMs = 10_000;
  remote.start();
  await engine.start({ plan: document, source: {}, workload: WORKLOAD, executionId: ID });
  const run = await ended(store, await endOf(engine), seen);
  await remote.stop(0);
  await engine.close();
  return run;
}

/** Everything becomes text in transit. */
function carried(service: WorkApi): WorkApi {
  const call = (method: keyof WorkApi) => async (request: never, signal?: AbortSignal) => {
    const answer = await (service[method] as (...args: unknown[]) => Promise<unknown>)(request, signal);
    return answer === undefined ? answer : decodeJson(encodeJson(answer as Json));
  };
  return new Proxy(service, { get: (_, method) => call(method as keyof WorkApi) });
}

/** Taken from the log: it may have ended before anybody asked. */
async function endOf(engine: Engine): Promise<State> {
  return engine.stateOf(ID) ? engine.finished(ID) : (await engine.storedState(ID))!;
}

/** Assignments are the same at the end as when they were handed out. */
async function ended(store: SharedStore, state: State, { given, kept }: Given): Promise<Run> {
  for (const assignment of kept)
    expect(wireText(assignment)).toBe(given.get(`${assignment.job_id} ${assignment.fence}`));
  return { state, events: await readEvents(store, ID), given };
}

/** The store of a process that dies at its n-th write. */
function dyingAfter(store: MemoryStore, writes: number): SharedStore {
  let count = 0;
  const append: SharedStore['append'] = async (batch) => {
    if (++count > writes) throw new StoreError('unavailable', 'the process died');
    return store.append(batch);
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value = name === 'append' ? append : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Not compared: the events of a lease and its loss, and the ids of tokens, times and workers. */
const OF_LEASES = new Set(['job.leased', 'job.expired', 'job.released', 'task.started']);

/** By step run or iteration: what happened, in order. For the execution as a whole: in any order. */
function storyOf({ state, events }: Run): JsonObject {
  const story: Record<string, string[]> = {};
  for (const event of events) {
    if (OF_LEASES.has(event.name)) continue;
    const key = event.iteration_id ?? event.step_run_id ?? '';
    story[key] ??= [];
    story[key].push(encodeJson([event.name, event.step ?? '', event.task_run_id ?? '', plainOf(event)]));
  }
  story['']?.sort();
  const steps = [...state.steps].map(([name, { status, result }]) => [name, status, result ?? null]).sort();
  return { story, steps, ctx: state.ctx, status: state.status, result: state.result ?? null };
}

const VARIES = new Set(['token', 'tokens', 'meta', 'plan', 'driver', 'source']);

function plainOf({ data }: Event): Json {
  const text = JSON.stringify(data ?? {}, (key, value) => (VARIES.has(key) ? undefined : value));
  return JSON.parse(text) as Json;
}

/** Everything before a step in the plan. */
function before({ steps }: Plan, name: string): Set<string> {
  const found = new Set<string>();
  const visit = (target: string) => {
    for (const each of steps) {
      if (!each.next.arcs.some((arc) => arc.step === target) || found.has(each.name)) continue;
      found.add(each.name);
      visit(each.name);
    }
  };
  visit(name);
  return found;
}

/** Every task reads everything that came before its step, and what its step and others wrote to ctx. */
function readingWhatWasBefore(document: Plan): Plan {
  for (const each of document.steps) {
    const names = [...before(document, each.name)];
    const reads = names.map((name) => [name, `{{ [${name} is defined, ctx.c_${name} | default('')] }}`]);
    each.tasks.forEach((one, index) => {
      one.kind = index % 2 === 0 ? 'pure' : 'effect';
      one.input = { ...Object.fromEntries(reads), n: '{{ n }}', label: `${each.name} ${one.label}` };
      if (each.loop === undefined) one.rules = [{ then: { do: 'continue', set_ctx: wrote(each, index) } }];
    });
  }
  return document;
}

const wrote = ({ name }: Step, index: number): JsonObject => ({ [`c_${name}`]: index });

/** The result of a run is that of the step that ended last, so all steps lead to one. */
function toOneEnd(document: Plan): Plan {
  for (const each of document.steps) each.next.arcs.push(arc('end'));
  document.steps.push(step('end', { join: 'all' }));
  return document;
}

const graph = randomPlan
  .filter(({ failure }) => failure === 'skip')
  .map(toOneEnd)
  .map(readingWhatWasBefore);

describe('a plan gives the same', () => {
  it('here, on a server, and after a crash', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 1, max: 12 }), async (document, writes) => {
        const here = await runHere(document, new MemoryStore());
        const elsewhere = await runElsewhere(document);
        expect(storyOf(elsewhere)).toEqual(storyOf(here));
        const store = new MemoryStore();
        const first = runHere(document, dyingAfter(store, writes));
        await first.catch((error: unknown) => expect(error).toBeInstanceOf(StoreError));
        const resumed = await runHere(document, store);
        expect(storyOf(resumed)).toEqual(storyOf(here));
      }),
      { numRuns: 25 },
    );
  });
});

describe('what a job is given', () => {
  /** `late` asks for `early` and its task, which end after `late` has begun. */
  const siblings = () => {
    const reads = {
      step: '{{ early is defined }}',
      task: '{{ named is defined }}',
      ctx: '{{ ctx.x is defined }}',
    };
    const wait = task('wait', { kind: 'effect', input: { waits: true } });
    const rules = [{ then: { do: 'continue' as const, set_ctx: { x: 1 } } }];
    return plan(
      [
        step('early', { tasks: [task('named', { kind: 'effect', rules })] }),
        step('late', { tasks: [wait, task('look', { kind: 'pure', input: reads })] }),
        step('wide', {
          loop: loop([1, 2], { mode: 'parallel', maxInFlight: 2 }),
          tasks: [wait, task('see', { kind: 'pure', input: reads })],
        }),
      ],
      { failure: 'skip', entry: ['early', 'late', 'wide'] },
    );
  };
  const unseen = { step: false, task: false, ctx: false };

  /** Holds back waiting tasks until `early` is done in the log. */
  const gateOn =
    (isDone: () => Promise<boolean>): Gate =>
    async ({ input }) => {
      while (input.waits === true && !(await isDone())) await new Promise((resolve) => setImmediate(resolve));
    };
  const hasEnded = async (store: SharedStore) =>
    (await readEvents(store, ID)).some(({ name, step: of }) => name === 'step.done' && of === 'early');

  it('does not show a sibling that ends while it runs, here', async () => {
    const store = new MemoryStore();
    const { state } = await runHere(
      siblings(),
      store,
      gateOn(() => hasEnded(store)),
    );
    expect(state.steps.get('late')!.result).toEqual(unseen);
    expect(state.steps.get('wide')!.result).toMatchObject({ results: [unseen, unseen] });
  });

  it('is the same text on a server', async () => {
    const here = await runHere(siblings(), new MemoryStore());
    const elsewhere = await runElsewhere(siblings());
    expect(here.given.size).toBe(4);
    expect(elsewhere.given).toEqual(here.given);
  });
});

it('bindings keep what they had', () => {
  const names = fc.array(fc.tuple(fc.integer({ min: 0, max: 150 }).map(String), fc.nat()), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(names, names, (first, more) => {
      let now = Bindings.of<number>(new Map(first));
      const versions: [Bindings<number>, Map<string, number>][] = [[now, new Map(first)]];
      for (const [name, value] of more) {
        versions.push([now.with(name, value), new Map(versions.at(-1)![1]).set(name, value)]);
        now = versions.at(-1)![0];
      }
      for (const [bindings, expected] of versions) expect(new Map(bindings)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});
