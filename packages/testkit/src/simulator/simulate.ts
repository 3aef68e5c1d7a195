/**
 * One seed: the real engine and the real worker, several of each, on simulated time, store and network, while things go
 * wrong. Then the trouble ends, and everything must end well.
 */
import { Desk, Engine, FarSignals, Upkeep, WorkService } from '@woof/engine';
import { type Command, decodeJson, encodeJson, explain, failure, type Outcome, type Plan } from '@woof/net';
import { PROTOCOL_VERSION, type WorkApi } from '@woof/protocol';
import { type Append, MemoryStore } from '@woof/stores';
import type { Tool, ToolCall } from '@woof/tools';
import { type Gates, RemoteGates, RemoteWorker, Worker } from '@woof/worker';
import fc from 'fast-check';
import { loop, plan, step, task } from '../plan-builder.ts';
import { randomPlan } from '../random-plan.ts';
import { FAULTS, type Fault, KINDS, type Kind, type Shape } from './faults.ts';
import { type Effect, LogWatch, Violation } from './log-watch.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { LIMIT_PLACES, QuietWatch } from './quiet-watch.ts';
import { Random } from './random.ts';
import { type Peer, SimNetwork } from './sim-network.ts';
import { connect, type StoreWeather } from './sim-store.ts';
import { Life, VirtualTime } from './virtual-time.ts';

interface Pace {
  ttlMs: number;
  upkeepMs: number;
}

const TROUBLED: Pace = { ttlMs: 3000, upkeepMs: 1000 };
/** Slow, so that what waits for one of these clocks is seen to wait. */
const QUIET: Pace = { ttlMs: 30_000, upkeepMs: 10_000 };
const LOOK_EVERY_MS = 100;
const WIDEST = 120;
const MOST_PROMISES = 12;
const FOREVER_MS = 1e12;
const LONGEST_SLEEP_MS = 9000;
/** After the trouble, everything must end within this much simulated time. */
const PATIENCE_MS = 600_000;

export interface Report {
  shape: Shape;
  events: number;
  effects: number;
  simulatedMs: number;
  /** What went against the rules; none is what we want. */
  violation?: string;
}

/** Of every four seeds, one is quiet. */
export function shapeOf(seed: number): Shape {
  const random = new Random(seed);
  const quiet = seed % 4 === 0;
  const faults = quiet ? [] : FAULTS.filter(() => random.chance(0.6));
  const servers = random.between(1, 3);
  const near = random.between(0, servers);
  return {
    seed,
    servers,
    near,
    workers: random.between(near > 0 ? 0 : 1, 4),
    slots: random.pick([1, 2, 5, 50]),
    // A single one, because others wake what a fault of ours has put to sleep; or a burst.
    executions: quiet ? random.pick([1, 1, 3, 12]) : random.between(1, 8),
    wide: quiet && random.chance(0.3),
    limited: quiet && seed % 8 === 0,
    kinds: quiet ? random.pick([['pure'], ['instant'], ['pure', 'instant'], KINDS]) : KINDS,
    troubledMs: quiet ? random.pick([0, 5000]) : random.between(2000, 40_000),
    faults: new Set<Fault>(faults),
  };
}

/** What a test breaks on purpose, to see that the watch notices. */
export type Sabotage = 'forgetful-store' | 'two-writers' | 'trusting-workers';

export async function simulate(shape: Shape, sabotage?: Sabotage): Promise<Report> {
  const random = new Random(shape.seed * 31 + 7);
  const time = new VirtualTime(random);
  const world = new World(shape, random, time, sabotage);
  const begun = time.now;
  const report = () => ({
    shape,
    events: world.watch.events,
    effects: world.effects,
    simulatedMs: time.now - begun,
  });
  return time.within(async () => {
    try {
      await world.play();
      return report();
    } catch (error) {
      const violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error);
      return { ...report(), violation };
    }
  });
}

interface Server extends Peer {
  engine: Engine;
}

class World {
  readonly watch: LogWatch;
  effects = 0;
  /** Where nothing fails. */
  private readonly quiet: QuietWatch | undefined;
  private readonly pace: Pace;
  private readonly shared: MemoryStore;
  private readonly blobs = new MemoryBlobs();
  private readonly weather: StoreWeather = { awayUntil: 0, troubled: true };
  private readonly network: SimNetwork;
  private readonly servers: Server[] = [];
  private readonly workers: { life: Life }[] = [];
  private readonly acknowledged: string[] = [];
  private violation: Error | undefined;
  private births = 0;
  private troubled = true;

  constructor(
    private readonly shape: Shape,
    private readonly random: Random,
    private readonly time: VirtualTime,
    private readonly sabotage: Sabotage | undefined,
  ) {
    const isQuiet = shape.faults.size === 0;
    this.watch = new LogWatch(isQuiet);
    this.quiet = isQuiet ? new QuietWatch(this.watch, () => time.now) : undefined;
    this.pace = isQuiet ? QUIET : TROUBLED;
    this.network = new SimNetwork(time, random, shape);
    this.shared = new MemoryStore(() => time.now);
    this.watchAppends();
  }

  async play(): Promise<void> {
    const { shape, time, random } = this;
    for (let index = 0; index < shape.servers; index++) this.servers.push(this.bootServer(index));
    for (let index = 0; index < shape.workers; index++) this.workers.push(this.bootWorker(index));
    const plans = fc.sample(plansOf(shape), { seed: shape.seed, numRuns: shape.executions });
    plans.forEach((document, index) => {
      time.after(random.delay(0, shape.troubledMs), () => void this.submit(document, `e${index}`));
    });
    this.planTrouble();
    if (this.quiet) this.look(this.quiet);
    await time.run(() => this.violation !== undefined, shape.troubledMs);
    this.endTrouble();
    const ended = () => this.acknowledged.length === plans.length && this.watch.unended.length === 0;
    const done = await time.run(() => this.violation !== undefined || ended(), PATIENCE_MS);
    if (this.violation) throw this.violation;
    if (!done) throw new Violation(this.stuck(plans.length));
    this.watch.checkReplay((length) => random.between(0, length));
  }

  private look(quiet: QuietWatch): void {
    this.guard(() => quiet.check());
    this.time.after(LOOK_EVERY_MS, () => this.look(quiet));
  }

  private stuck(expected: number): string {
    const states = this.watch.unended.map((state) => {
      const reasons = explain(state).map(({ id, reason }) => `${id}: ${reason}`);
      return `${state.execution_id} (${state.status}): ${reasons.join('; ') || 'NO REASON'}`;
    });
    return `stuck: ${this.acknowledged.length} of ${expected} started; ${states.join(' | ')}`;
  }

  /** Every frame that the store takes is looked at as it is taken. */
  private watchAppends(): void {
    const append = this.shared.append.bind(this.shared);
    this.shared.append = async (batch: readonly Append[]) => {
      const wire = decodeJson(encodeJson(batch)) as Append[];
      if (this.sabotage === 'forgetful-store' && this.random.chance(0.05)) return [];
      const refused = await append(wire);
      if (this.sabotage === 'two-writers') for (const frame of wire) this.guard(() => this.see(frame));
      if (this.sabotage === 'two-writers') return [];
      const not = new Set(refused.map((one) => one.execution_id));
      for (const frame of wire) {
        if (!not.has(frame.execution_id)) this.guard(() => this.see(frame));
      }
      return refused;
    };
  }

  private see(frame: Append): void {
    this.watch.see(frame);
    this.quiet?.see(frame.execution_id, frame.events);
  }

  private guard(body: () => void): void {
    try {
      body();
    } catch (error) {
      this.violation ??= error as Error;
    }
  }

  // Processes.

  private clockOf(): () => number {
    const skew = this.shape.faults.has('clock-skew') ? this.random.between(-5000, 5000) : 0;
    return () => this.time.now + skew;
  }

  /** While a machine sleeps, this clock stands still; while a process is stopped, it does not. */
  private uptimeOf(life: Life): () => number {
    const standsStill = this.random.chance(0.5);
    return () => this.time.now - (standsStill ? life.sleptMs : 0);
  }

  private bootServer(index: number): Server {
    const { time, shape, random, pace } = this;
    const life = new Life(`server${index}.${++this.births}`);
    const now = this.clockOf();
    return time.as(life, () => {
      const store = connect(this.shared, life, { time, random, shape, weather: this.weather });
      const fault = (error: unknown) => this.note(error);
      const desk: Desk = new Desk({
        onFree: () => {
          engine.slotFreed();
          upkeep.freed();
        },
      });
      const engine: Engine = new Engine({
        store,
        blobs: this.blobs,
        executor: desk,
        driver: life.name,
        now,
        resolve: async () => ({ plan: CHILD, source: {} }),
        onTaken: (id, from, seq) => upkeep.tellTaken(id, from, seq),
        onLeftOver: () => upkeep.leftOver(),
        onFault: (_, error) => fault(error),
      });
      const member = { id: life.name, kind: 'server' as const, info: {} };
      const upkeep: Upkeep = new Upkeep({
        store,
        engine,
        desk,
        member,
        ttlMs: pace.ttlMs,
        everyMs: pace.upkeepMs,
        now,
        onFault: fault,
      });
      const { ttlMs } = pace;
      const isCurrent = () => upkeep.isCurrent();
      const onLog = async () => {};
      const elsewhere = new FarSignals({
        store,
        serverId: life.name,
        topic: 'limit',
        onSaid: (key, places) => work.leftElsewhere(key, places),
        onFault: fault,
      });
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
      const service = this.checked(work, life.name);
      void this.keepStarting(elsewhere);
      void this.keepStarting(upkeep);
      if (index < shape.near) this.startWorker(life, this.nearApi(service), index);
      return { life, engine, service };
    });
  }

  /** As a supervisor would: a server that cannot reach its store at start tries again. */
  private async keepStarting(part: Pick<Upkeep, 'start'>): Promise<void> {
    for (;;) {
      try {
        return await part.start();
      } catch {
        await this.time.sleep(500);
      }
    }
  }

  /** What a server acknowledges is in the log at that moment. */
  private checked(service: WorkService, name: string): WorkApi {
    const claim: WorkApi['claim'] = async (request, signal) => {
      this.quiet?.claimed(name);
      const answer = await service.claim(request, signal);
      return this.sabotage === 'trusting-workers' ? { ...answer, waited_ms: FOREVER_MS } : answer;
    };
    const beat: WorkApi['beat'] = async (request) => {
      const answer = await service.beat(request);
      return this.sabotage === 'trusting-workers' ? { ...answer, ttl_ms: FOREVER_MS } : answer;
    };
    const report: WorkApi['report'] = async (request) => {
      const answer = await service.report(request);
      request.reports.forEach(({ execution_id: id, reports }, index) => {
        for (const item of reports) {
          if (item.type !== 'done' || !answer.held[index]) continue;
          const there = this.watch.hasDone(id, item.task_run_id);
          const lost = `${item.task_run_id} was acknowledged and is not in the log`;
          if (!there) this.violation ??= new Violation(`execution ${id}: ${lost}`);
        }
      });
      return answer;
    };
    const watched: Partial<WorkApi> = { claim, beat, report };
    return new Proxy(service as WorkApi, {
      get: (target, method: keyof WorkApi) => watched[method] ?? target[method].bind(target),
    });
  }

  /** Faults of the store and the network are told, not thrown; anything else is ours. */
  private note(error: unknown): void {
    const { name, message } = error as Error;
    if (/does not answer/.test(message)) return;
    this.violation ??= new Violation(`a fault of ours: ${name}: ${(error as Error).stack ?? message}`);
  }

  private bootWorker(index: number): { life: Life } {
    const life = new Life(`worker${index}.${++this.births}`);
    const api = this.network.apiFor(life, () => this.servers);
    this.time.as(life, () => this.startWorker(life, api, this.shape.near + index));
    return { life };
  }

  /**
   * Without a network, what an answer meets depends on how many promises are between. Any number may be: the order of
   * what happens in one tick must not matter.
   */
  private nearApi(service: WorkApi): WorkApi {
    const call = (method: keyof WorkApi) => async (request: never, signal?: AbortSignal) => {
      const answer = await (service[method] as (...args: unknown[]) => Promise<unknown>)(request, signal);
      for (let promises = this.random.between(0, MOST_PROMISES); promises > 0; promises--)
        await Promise.resolve();
      return answer;
    };
    return new Proxy(service, { get: (_, method) => call(method as keyof WorkApi) });
  }

  /** In the process of a server it calls that server's service itself; elsewhere, over the network. */
  private startWorker(life: Life, api: WorkApi, index: number): void {
    const id = `${life.name}.worker`;
    const slots = this.random.between(1, this.shape.slots);
    const labels = { zone: zoneOf(index) };
    this.quiet?.joined(id, { slots, labels });
    const worker: Worker = new Worker({
      id,
      slots,
      tools: new Map(KINDS.map((kind) => [kind, this.tool(kind)])),
      blobs: this.blobs,
      logs: { write: () => {}, close: async () => {} },
      sandbox: false,
      hidden: [],
      limits: this.gates(new RemoteGates(api, id)),
      onFree: (executionId) => remote.jobEnded(executionId),
    });
    const remote: RemoteWorker = new RemoteWorker({
      api,
      worker,
      blobs: this.blobs,
      folders: { place: (assignment) => assignment, release() {}, ended() {}, close() {} },
      now: this.clockOf(),
      uptime: this.uptimeOf(life),
      info: {
        worker: id,
        protocol: PROTOCOL_VERSION,
        version: 'simulated',
        slots,
        labels,
        kinds: [...KINDS],
      },
      onFatal: (error) => this.note(error),
    });
    remote.start();
  }

  /** Where nothing fails, the watch sees who waits to enter a limit, and who leaves it. */
  private gates(gates: Gates): Gates {
    const { quiet } = this;
    if (quiet === undefined) return gates;
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

  private tool(kind: Kind): Tool {
    const isPure = kind === 'pure';
    return {
      schema: { kind, summary: '', fields: {}, ...(isPure ? { pure: true } : {}) },
      run: async (call): Promise<Outcome> => {
        const effect = effectOf(call);
        const job = effect.jobId;
        this.effects += isPure ? 0 : 1;
        if (!isPure) this.guard(() => this.watch.checkEffect(call.executionId, effect));
        this.quiet?.toolStarts(call.executionId, job);
        if (kind === 'slow') await this.time.sleep(this.random.delay(1, 2000));
        this.quiet?.toolEnds(call.executionId, job);
        const fails = this.troubled && this.shape.faults.has('tool-fails') && this.random.chance(0.1);
        return fails ? failure('timeout', 'slow') : { status: 'ok', result: call.attempt };
      },
    };
  }

  // People.

  private async submit(document: Plan, id: string): Promise<void> {
    for (;;) {
      const { engine, life } = this.random.pick(this.servers);
      const request = { plan: document, source: {}, workload: {}, executionId: id };
      const started = new Promise<boolean>((resolve) => {
        const forget = life.onDeath(() => this.time.after(0, () => resolve(false)));
        this.time.enter(life, () => {
          engine.start(request).then(
            () => {
              forget();
              this.time.after(0, () => resolve(true));
            },
            () => this.time.after(0, () => resolve(false)),
          );
        });
      });
      if (await started) break;
      await this.time.sleep(200);
    }
    if (this.watch.stateOf(id) === undefined)
      this.violation ??= new Violation(`execution ${id} was acknowledged and is not in the log`);
    this.acknowledged.push(id);
  }

  private meddle(): void {
    const id = this.random.pick(this.acknowledged);
    if (id === undefined) return;
    const command = this.random.pick<Command>([
      { type: 'PauseExecution' },
      { type: 'ResumeExecution' },
      { type: 'ResumeExecution' },
      { type: 'CancelExecution', reason: 'somebody said so' },
    ]);
    this.command(this.random.pick(this.servers), id, command);
  }

  private command({ engine, life }: Pick<Server, 'engine' | 'life'>, id: string, command: Command): void {
    this.time.enter(life, () => void engine.command(id, command).catch(() => {}));
  }

  // Trouble.

  private planTrouble(): void {
    const every = (fault: Fault, low: number, high: number, act: () => void) => {
      if (!this.shape.faults.has(fault)) return;
      const again = () =>
        this.time.after(this.random.between(low, high), () => {
          if (!this.troubled) return;
          act();
          again();
        });
      again();
    };
    every('crash-server', 500, 8000, () => this.crashServer());
    every('crash-worker', 500, 6000, () => this.crashWorker());
    every('sleep', 500, 5000, () => this.sleep());
    every('partition', 1000, 8000, () => this.part());
    every('store-away', 2000, 10_000, () => {
      this.weather.awayUntil = this.time.now + this.random.between(100, 6000);
    });
    every('people', 300, 4000, () => this.meddle());
  }

  private endTrouble(): void {
    this.troubled = false;
    this.network.troubled = false;
    this.weather.troubled = false;
    this.weather.awayUntil = 0;
    // Somebody resumes what was paused, or it would wait for ever, and rightly.
    const resume = () => {
      for (const state of this.watch.unended) {
        if (state.status !== 'paused') continue;
        this.command(this.random.pick(this.servers), state.execution_id, { type: 'ResumeExecution' });
      }
      this.time.after(10_000, resume);
    };
    resume();
  }

  private crashServer(): void {
    const index = this.random.between(0, this.servers.length - 1);
    this.servers[index]!.life.kill();
    this.servers[index] = this.bootServer(index);
  }

  private crashWorker(): void {
    if (this.workers.length === 0) return;
    const index = this.random.between(0, this.workers.length - 1);
    this.workers[index]!.life.kill();
    this.workers[index] = this.bootWorker(index);
  }

  private sleep(): void {
    const { life } = this.random.pick([...this.servers, ...this.workers]);
    this.time.putToSleep(life, this.random.between(100, LONGEST_SLEEP_MS));
  }

  private part(): void {
    if (this.workers.length === 0) return;
    const worker = this.random.pick(this.workers).life.name;
    const server = this.random.pick(this.servers).life.name;
    this.network.part(worker, server, this.random.between(500, 10_000));
  }
}

/** The key is execution/task run/attempt, and a task run begins with its job. */
function effectOf({ executionId, idempotencyKey, fence }: ToolCall): Effect {
  const taskRun = idempotencyKey
    .slice(executionId.length + 1)
    .split('/')
    .slice(0, -1);
  return { jobId: taskRun.slice(0, -1).join('/'), taskRunId: taskRun.join('/'), fence };
}

const zoneOf = (index: number): string => (index % 2 === 0 ? 'even' : 'odd');

const CHILD = plan([
  step('inner', { tasks: [task('a', { kind: 'pure' })], to: ['after'] }),
  step('after', { tasks: [task('b', { kind: 'instant' })] }),
]);

/** All tasks that have one share it, at whichever server their workers are. */
const LIMIT = { key: 'shared', concurrency: LIMIT_PLACES };

/** Any plan; now and then one whose first step calls another playbook, or has a wide loop. */
function plansOf({ kinds, wide, limited, near, workers }: Shape): fc.Arbitrary<Plan> {
  const dice = fc.record({ calls: fc.nat(3), widens: fc.nat(2), width: fc.nat(WIDEST), seed: fc.nat() });
  return fc.tuple(randomPlan, dice).map(([document, { calls, widens, width, seed }]) => {
    const random = new Random(seed);
    for (const each of document.steps) {
      for (const one of each.tasks) {
        one.kind = random.pick(kinds);
        if (limited && random.chance(0.5)) one.spec = { ...one.spec, limit: LIMIT };
      }
      if (near + workers > 1 && random.chance(0.2)) each.labels = { zone: zoneOf(random.between(0, 1)) };
    }
    const [first] = document.steps;
    if (first === undefined || first.tasks.length === 0) return document;
    if (calls === 0) first.tasks[0] = task('call', { kind: 'playbook', input: { path: 'child' } });
    if (wide && widens === 0)
      first.loop = loop([...Array(width).keys()], { mode: 'parallel', maxInFlight: width });
    return document;
  });
}
