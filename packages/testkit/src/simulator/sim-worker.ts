/** A worker that asks servers for jobs: in the process of one, or anywhere. */
import { PROTOCOL_VERSION, type WorkApi } from '@woof/protocol';
import { RemoteLimits, RemoteWorker, type TaskLimits, Worker } from '@woof/worker';
import { KINDS } from './faults.ts';
import type { QuietWatch } from './quiet-watch.ts';
import type { Random } from './random.ts';
import { zoneOf } from './sim-plans.ts';
import { toolsOf } from './sim-tools.ts';
import type { Life } from './virtual-time.ts';
import type { World } from './world.ts';

const MOST_PROMISES = 12;

/** What every worker has, wherever it runs. */
export const machineOf = (world: World) => ({
  tools: toolsOf(world),
  blobs: world.blobs,
  logs: { write: () => {}, close: async () => {} },
  sandbox: false,
  hidden: [],
});

/** In the process of a server it calls that server's service directly; elsewhere, over the network. */
export function startWorker(world: World, life: Life, api: WorkApi, index: number): void {
  const id = `${life.name}.worker`;
  const slots = world.random.between(1, world.shape.slots);
  const labels = { zone: zoneOf(index) };
  const gates = new RemoteLimits(api, id);
  world.quiet?.joined(id, { slots, labels });
  const worker: Worker = new Worker({
    id,
    slots,
    ...machineOf(world),
    limits: world.quiet ? watched(gates, world.quiet) : gates,
    onFree: (executionId) => remote.jobEnded(executionId),
  });
  const remote: RemoteWorker = new RemoteWorker({
    api,
    worker,
    blobs: world.blobs,
    folders: { place: (assignment) => assignment, release() {}, ended() {}, close() {} },
    now: world.clock(),
    uptime: uptimeOf(world, life),
    info: { worker: id, protocol: PROTOCOL_VERSION, version: 'simulated', slots, labels, kinds: [...KINDS] },
    onFatal: (error) => world.note(error),
  });
  remote.start();
}

/** While a machine sleeps, this clock stands still; while a process is stopped, it does not. */
function uptimeOf({ random, time }: World, life: Life): () => number {
  const standsStill = random.chance(0.5);
  return () => time.now - (standsStill ? life.sleptMs : 0);
}

/** The watch sees which tasks wait to enter a limit, and which leave it. */
function watched(gates: TaskLimits, quiet: QuietWatch): TaskLimits {
  return {
    enter: async (limit, signal, holder) => {
      quiet.waits(holder);
      const leave = await gates.enter(limit, signal, holder);
      quiet.enters(holder);
      return () => {
        quiet.leaves();
        leave();
      };
    },
  };
}

/**
 * Without a network, what an answer encounters depends on the number of promises in between. Any number is possible:
 * the order of events in one tick must not matter.
 */
export function nearApi(service: WorkApi, random: Random): WorkApi {
  const call = (method: keyof WorkApi) => async (request: never, signal?: AbortSignal) => {
    const answer = await (service[method] as (...args: unknown[]) => Promise<unknown>)(request, signal);
    for (let promises = random.between(0, MOST_PROMISES); promises > 0; promises--) await Promise.resolve();
    return answer;
  };
  return new Proxy(service, { get: (_, method) => call(method as keyof WorkApi) });
}
