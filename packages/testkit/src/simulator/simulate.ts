/**
 * One seed: the real engine and the real worker, several of each, on simulated time, store and network, while things go
 * wrong. Then the trouble ends, and everything must end well.
 */
import { Desk, Engine, Upkeep, WorkService } from '@woof/engine';
import { type Command, explain, failure, type Outcome, type Plan } from '@woof/net';
import { PROTOCOL_VERSION, type WorkApi } from '@woof/protocol';
import { type Append, MemoryStore } from '@woof/stores';
import type { Tool } from '@woof/tools';
import { RemoteGates, RemoteWorker, Worker } from '@woof/worker';
import fc from 'fast-check';
import { plan, step, task } from '../plan-builder.ts';
import { randomPlan } from '../random-plan.ts';
import { FAULTS, type Fault, type Shape } from './faults.ts';
import { LogWatch, Violation } from './log-watch.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { Random } from './random.ts';
import { type Peer, SimNetwork } from './sim-network.ts';
import { connect, type StoreWeather } from './sim-store.ts';
import { Life, VirtualTime } from './virtual-time.ts';

const TTL_MS = 3000;
const UPKEEP_MS = 1000;
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

export function shapeOf(seed: number): Shape {
  const random = new Random(seed);
  const faults = FAULTS.filter(() => random.chance(0.6));
  return {
    seed,
    servers: random.between(1, 3),
    workers: random.between(1, 4),
    executions: random.between(1, 8),
    troubledMs: random.between(2000, 40_000),
    faults: new Set<Fault>(faults),
  };
}

/** What a test breaks on purpose, to see that the watch notices. */
export type Sabotage = 'forgetful-store' | 'two-writers';

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
  readonly watch = new LogWatch();
  effects = 0;
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
    this.network = new SimNetwork(time, random, shape);
    this.shared = new MemoryStore(() => time.now);
    this.watchAppends();
  }

  async play(): Promise<void> {
    const { shape, time, random } = this;
    for (let index = 0; index < shape.servers; index++) this.servers.push(this.bootServer(index));
    for (let index = 0; index < shape.workers; index++) this.workers.push(this.bootWorker(index));
    const plans = fc.sample(planArbitrary, { seed: shape.seed, numRuns: shape.executions });
    plans.forEach((document, index) => {
      time.after(random.delay(0, shape.troubledMs), () => void this.submit(document, `e${index}`));
    });
    this.planTrouble();
    await time.run(() => this.violation !== undefined, shape.troubledMs);
    this.endTrouble();
    const ended = () => this.acknowledged.length === plans.length && this.watch.unended.length === 0;
    const done = await time.run(() => this.violation !== undefined || ended(), PATIENCE_MS);
    if (this.violation) throw this.violation;
    if (!done) throw new Violation(this.stuck(plans.length));
    this.watch.checkReplay((length) => random.between(0, length));
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
      const wire = JSON.parse(JSON.stringify(batch)) as Append[];
      if (this.sabotage === 'forgetful-store' && this.random.chance(0.05)) return [];
      const refused = await append(wire);
      if (this.sabotage === 'two-writers') for (const frame of wire) this.guard(() => this.watch.see(frame));
      if (this.sabotage === 'two-writers') return [];
      const not = new Set(refused.map((one) => one.execution_id));
      for (const frame of wire) {
        if (!not.has(frame.execution_id)) this.guard(() => this.watch.see(frame));
      }
      return refused;
    };
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

  private bootServer(index: number): Server {
    const { time, shape, random } = this;
    const life = new Life(`server${index}.${++this.births}`);
    const now = this.clockOf();
    return time.as(life, () => {
      const store = connect(this.shared, life, { time, random, shape, weather: this.weather });
      const fault = (error: unknown) => this.note(error);
      const desk: Desk = new Desk({ onFree: () => engine.slotFreed() });
      const engine: Engine = new Engine({
        store,
        blobs: this.blobs,
        executor: desk,
        driver: life.name,
        now,
        resolve: async () => ({ plan: CHILD, source: {} }),
        onTaken: (id, from, seq) => upkeep.tellTaken(id, from, seq),
        onFault: (_, error) => fault(error),
      });
      const member = { id: life.name, kind: 'server' as const, info: {} };
      const upkeep: Upkeep = new Upkeep({
        store,
        engine,
        desk,
        member,
        ttlMs: TTL_MS,
        everyMs: UPKEEP_MS,
        now,
        onFault: fault,
      });
      const service = new WorkService({ engine, desk, store, ttlMs: TTL_MS, now, onLog: async () => {} });
      void this.keepStarting(upkeep);
      return { life, engine, service: this.checked(service) };
    });
  }

  /** As a supervisor would: a server that cannot reach its store at start tries again. */
  private async keepStarting(upkeep: Upkeep): Promise<void> {
    for (;;) {
      try {
        return await upkeep.start();
      } catch {
        await this.time.sleep(500);
      }
    }
  }

  /** What a server acknowledges is in the log at that moment. */
  private checked(service: WorkService): WorkApi {
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
    return new Proxy(service as WorkApi, {
      get: (target, name: keyof WorkApi) => (name === 'report' ? report : target[name].bind(target)),
    });
  }

  /** Faults of the store and the network are told, not thrown; anything else is ours. */
  private note(error: unknown): void {
    const { name, message } = error as Error;
    if (/does not answer/.test(message)) return;
    this.violation ??= new Violation(`a fault of ours: ${name}: ${(error as Error).stack ?? message}`);
  }

  private bootWorker(index: number): { life: Life } {
    const { time } = this;
    const life = new Life(`worker${index}.${++this.births}`);
    time.as(life, () => {
      const api = this.network.apiFor(life, () => this.servers);
      const slots = this.random.between(1, 5);
      const worker: Worker = new Worker({
        id: life.name,
        slots,
        tools: new Map([['noop', this.tool()]]),
        blobs: this.blobs,
        logs: { write: () => {}, close: async () => {} },
        sandbox: false,
        hidden: [],
        limits: new RemoteGates(api, life.name),
        onFree: (id) => remote.jobEnded(id),
      });
      const remote: RemoteWorker = new RemoteWorker({
        api,
        worker,
        blobs: this.blobs,
        folders: { place: (assignment) => assignment, release() {}, ended() {}, close() {} },
        now: this.clockOf(),
        info: {
          worker: life.name,
          protocol: PROTOCOL_VERSION,
          version: 'simulated',
          slots,
          labels: {},
          kinds: ['noop'],
        },
        onFatal: (error) => this.note(error),
      });
      remote.start();
    });
    return { life };
  }

  private tool(): Tool {
    return {
      schema: { kind: 'noop', summary: '', fields: {} },
      run: async (call): Promise<Outcome> => {
        this.effects += 1;
        await this.time.sleep(this.random.delay(1, 2000));
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
        this.time.as(life, () => {
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
    this.time.as(life, () => void engine.command(id, command).catch(() => {}));
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
    const index = this.random.between(0, this.workers.length - 1);
    this.workers[index]!.life.kill();
    this.workers[index] = this.bootWorker(index);
  }

  private part(): void {
    const worker = this.random.pick(this.workers).life.name;
    const server = this.random.pick(this.servers).life.name;
    this.network.part(worker, server, this.random.between(500, 10_000));
  }
}

const CHILD = plan([
  step('inner', { tasks: [task('a')], to: ['after'] }),
  step('after', { tasks: [task('b')] }),
]);

/** Any plan; now and then one whose first step calls another playbook. */
const planArbitrary: fc.Arbitrary<Plan> = fc.tuple(randomPlan, fc.nat(3)).map(([document, dice]) => {
  const [first] = document.steps;
  if (dice === 0 && first && first.tasks.length > 0)
    first.tasks[0] = task('call', { kind: 'playbook', input: { path: 'child' } });
  return document;
});
