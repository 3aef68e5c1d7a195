/** A server: the real engine, desk, upkeep and work service on a simulated store. */
import { Desk, Engine, type EngineOptions, FarSignals, Upkeep, WorkService } from '@woof/engine';
import type { Command, Plan } from '@woof/net';
import type { WorkApi } from '@woof/protocol';
import type { Peer } from './sim-network.ts';
import { CHILD } from './sim-plans.ts';
import type { Life } from './virtual-time.ts';
import type { World } from './world.ts';

const FOREVER_MS = 1e12;

export interface Server extends Peer {
  /** What a worker in its process calls. */
  near: WorkApi;
  engine: Engine;
}

/** Call it in the process of the server. */
export function bootServer(world: World, life: Life, more: Partial<EngineOptions> = {}): Server {
  const now = world.clock();
  const store = world.storeOf(life);
  const fault = (error: unknown) => world.note(error);
  const desk: Desk = new Desk({
    onFree: () => {
      engine.slotFreed();
      upkeep.freed();
    },
  });
  const engine: Engine = new Engine({
    store,
    blobs: world.blobs,
    executor: desk,
    driver: life.name,
    now,
    resolve: async () => ({ plan: CHILD, source: {} }),
    onTaken: (id, from, seq) => upkeep.tellTaken(id, from, seq),
    onLeftOver: () => upkeep.leftOver(),
    onFault: (_, error) => fault(error),
    ...more,
  });
  const { ttlMs, upkeepMs } = world.pace;
  const member = { id: life.name, kind: 'server' as const, info: {} };
  const upkeep: Upkeep = new Upkeep({
    store,
    engine,
    desk,
    member,
    ttlMs,
    everyMs: upkeepMs,
    now,
    onFault: fault,
  });
  const elsewhere = new FarSignals({
    store,
    serverId: life.name,
    topic: 'limit',
    onSaid: (key, places) => work.leftElsewhere(key, places),
    onFault: fault,
  });
  const isCurrent = () => upkeep.isCurrent();
  const onLog = async () => {};
  const work: WorkService = new WorkService({
    engine,
    desk,
    store,
    ttlMs,
    now,
    isCurrent,
    onLog,
    elsewhere,
  });
  void Promise.all([keepStarting(world, elsewhere), keepStarting(world, upkeep)]).then(() =>
    elsewhere.joined(),
  );
  const service = checked(world, work, life.name);
  return { life, engine, service, near: checked(world, work.near, life.name) };
}

/** Like a supervisor: a server that cannot reach its store at startup tries again. */
async function keepStarting({ time }: World, part: Pick<Upkeep, 'start'>): Promise<void> {
  for (;;) {
    try {
      return await part.start();
    } catch {
      await time.sleep(500);
    }
  }
}

/** Whatever a server acknowledges must be in the log at that moment. */
function checked(world: World, service: WorkApi, name: string): WorkApi {
  const isTrusting = world.sabotage === 'trusting-workers';
  const claim: WorkApi['claim'] = async (request, signal) => {
    world.quiet?.claimed(name);
    const answer = await service.claim(request, signal);
    return isTrusting ? { ...answer, waited_ms: FOREVER_MS } : answer;
  };
  const beat: WorkApi['beat'] = async (request) => {
    const answer = await service.beat(request);
    return isTrusting ? { ...answer, ttl_ms: FOREVER_MS } : answer;
  };
  const report: WorkApi['report'] = async (request) => {
    const answer = await service.report(request);
    request.reports.forEach(({ execution_id: id, reports }, index) => {
      for (const item of reports) {
        if (item.type !== 'done' || !answer.held[index] || world.watch.hasDone(id, item.task_run_id))
          continue;
        world.violate(`execution ${id}: ${item.task_run_id} was acknowledged and is not in the log`);
      }
    });
    return answer;
  };
  const watched: Partial<WorkApi> = { claim, beat, report };
  return new Proxy(service, {
    get: (target, method: keyof WorkApi) => watched[method] ?? target[method].bind(target),
  });
}

type Reached = Pick<Server, 'engine' | 'life'>;

/** Returns whether the server acknowledged the start. */
export function startAt(
  { time }: World,
  { engine, life }: Reached,
  plan: Plan,
  id: string,
): Promise<boolean> {
  const request = { plan, source: {}, workload: {}, executionId: id };
  return new Promise<boolean>((resolve) => {
    const forget = life.onDeath(() => time.after(0, () => resolve(false)));
    time.enter(life, () => {
      engine.start(request).then(
        () => {
          forget();
          time.after(0, () => resolve(true));
        },
        () => time.after(0, () => resolve(false)),
      );
    });
  });
}

export function commandAt({ time }: World, { engine, life }: Reached, id: string, command: Command): void {
  time.enter(life, () => void engine.command(id, command).catch(() => {}));
}
