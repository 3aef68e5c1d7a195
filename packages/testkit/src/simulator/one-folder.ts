/**
 * Several processes in one data directory, perhaps beside its server; the people at their terminals, and what happens.
 */
import { isDriving, lineageOf } from '@woof/engine';
import type { Command, Plan } from '@woof/net';
import { LOCAL_DRIVER } from '@woof/stores';
import type { OwnerWatch } from './owner-watch.ts';
import type { Scene } from './scene.ts';
import { SimProcess } from './sim-process.ts';
import { bootServer, commandAt, type Server, startAt } from './sim-server.ts';
import { nearApi, startWorker } from './sim-worker.ts';
import { Life } from './virtual-time.ts';
import type { World } from './world.ts';

const LONGEST_STOP_MS = 9000;
const LONGEST_ABSENCE_MS = 5000;
const RESUME_EVERY_MS = 5000;

export class OneFolder implements Scene {
  private processes: SimProcess[] = [];
  private server: Server | undefined;
  private births = 0;

  constructor(
    private readonly world: World,
    private readonly owners: OwnerWatch,
  ) {}

  boot(): void {
    if (this.world.shape.servers > 0) this.bootServer();
  }

  /** A run whose start failed is started again; one that exists is visible to everybody. */
  async submit(document: Plan, id: string): Promise<void> {
    const { world } = this;
    for (;;) {
      const isStarted = await this.start(document, id);
      if (isStarted || world.watch.stateOf(id) !== undefined) break;
      await world.time.sleep(200);
    }
    world.acknowledge(id);
  }

  trouble(): void {
    const { world } = this;
    world.repeat([50, 1500], () => this.resumeAny());
    world.repeat([200, 3000], () => this.anyProcess()?.interrupt());
    world.every('crash-process', [50, 2000], () => this.anyProcess()?.life.kill());
    world.every('crash-server', [500, 5000], () => this.crashServer());
    world.every('sleep', [100, 2000], () => this.stopAny());
    world.every('store-away', [2000, 10_000], () => {
      world.weather.awayUntil = world.time.now + world.random.between(100, 3000);
    });
    world.every('people', [50, 1500], () => this.meddle());
  }

  /** People resume what nobody drives, and what is paused. An abandoned nested run is resumed through its root run. */
  recover(): void {
    const { watch, time } = this.world;
    const unended = new Map(watch.unended.map(({ execution_id: id, status }) => [id, status]));
    const roots = watch.unended.map(({ execution_id: id, parent }) => lineageOf(id, parent).root);
    for (const id of new Set(roots)) {
      const status = unended.get(id);
      const owner = this.owners.ownerOf(id);
      if (owner === undefined) this.resume(id);
      else if (status === 'paused') this.command(owner, id, { type: 'ResumeExecution' });
    }
    time.after(RESUME_EVERY_MS, () => this.recover());
  }

  /** `woof run` hands its run over if the folder has a server, unless told not to. */
  private start(document: Plan, id: string): Promise<boolean> {
    const { world, server } = this;
    if (server && this.owners.folder.hasServer && world.random.chance(0.5))
      return startAt(world, server, document, id);
    const process = this.newProcess();
    return new Promise<boolean>((resolve) => {
      process.life.onDeath(() => world.time.after(0, () => resolve(false)));
      process.run(document, id, () => world.time.after(0, () => resolve(true)));
    });
  }

  private newProcess(): SimProcess {
    const { world, owners } = this;
    const life = new Life(localName(++this.births));
    const process = world.time.as(life, () => new SimProcess(world, owners, life));
    this.processes.push(process);
    life.onDeath(() => {
      this.processes = this.processes.filter((one) => one !== process);
    });
    return process;
  }

  /** Several at once: one of them gets it, unless somebody already drives it. */
  private resume(id: string): void {
    const { random, shape } = this.world;
    for (let count = random.between(1, shape.processes); count > 0; count--) this.newProcess().resume(id);
  }

  private resumeAny(): void {
    const id = this.anyRun();
    if (id !== undefined) this.resume(id);
  }

  /** Runs that have not ended are more interesting, and soon few. */
  private anyRun(): string | undefined {
    const { random, acknowledged, watch } = this.world;
    const open = watch.unended.map(({ execution_id: id }) => id).filter((id) => acknowledged.includes(id));
    return random.pick(open.length > 0 && random.chance(0.8) ? open : acknowledged);
  }

  private anyProcess(): SimProcess | undefined {
    return this.world.random.pick(this.processes);
  }

  private stopAny(): void {
    const { random, time } = this.world;
    const any = random.pick([...this.processes, ...(this.server ? [this.server] : [])]);
    if (any) time.putToSleep(any.life, random.between(100, LONGEST_STOP_MS));
  }

  private bootServer(): void {
    const { world, owners } = this;
    const { presence } = owners.folder;
    const life = world.newLife('server');
    owners.folder.lock(life);
    this.server = world.time.as(life, () => {
      const server = bootServer(world, life, { isDriving: (driver) => isDriving(presence, driver) });
      startWorker(world, life, nearApi(server.near, world.random), 0);
      return server;
    });
  }

  /** It is down for a while, during which others may take over its runs. */
  private crashServer(): void {
    if (!this.server?.life.alive) return;
    this.server.life.kill();
    const { time, random } = this.world;
    time.after(random.between(0, LONGEST_ABSENCE_MS), () => this.bootServer());
  }

  /** Sent to whoever drives the run, or to the server, which takes over abandoned runs. */
  private meddle(): void {
    const { random } = this.world;
    const id = this.anyRun();
    if (id === undefined) return;
    const command = random.pick<Command>([
      { type: 'PauseExecution' },
      { type: 'ResumeExecution' },
      { type: 'ResumeExecution' },
      { type: 'CancelExecution', reason: 'somebody said so' },
    ]);
    const owner = random.chance(0.5) ? this.owners.ownerOf(id) : undefined;
    this.command(owner, id, command);
  }

  private command(owner: string | undefined, id: string, command: Command): void {
    const driver = this.processes.find(({ life }) => life.name === owner) ?? this.server;
    if (driver) commandAt(this.world, driver, id, command);
  }
}

/** Like real names: never the same twice. */
const localName = (pid: number): string => `${LOCAL_DRIVER}${pid}-${pid.toString(16).padStart(8, '0')}`;
