/** Servers and workers that share a store, the people who use them, and what happens to all of them. */
import type { Command, Plan } from '@woof/net';
import type { Scene } from './scene.ts';
import { SimNetwork } from './sim-network.ts';
import { bootServer, commandAt, type Server, startAt } from './sim-server.ts';
import { nearApi, startWorker } from './sim-worker.ts';
import type { Life } from './virtual-time.ts';
import type { World } from './world.ts';

const LONGEST_SLEEP_MS = 9000;

export class Cluster implements Scene {
  private readonly network: SimNetwork;
  private readonly servers: Server[] = [];
  private readonly workers: { life: Life }[] = [];

  constructor(private readonly world: World) {
    this.network = new SimNetwork(world.time, world.random, world.shape);
  }

  boot(): void {
    const { servers, workers } = this.world.shape;
    for (let index = 0; index < servers; index++) this.servers.push(this.bootServer(index));
    for (let index = 0; index < workers; index++) this.workers.push(this.bootWorker(index));
  }

  async submit(document: Plan, id: string): Promise<void> {
    const { world } = this;
    while (!(await startAt(world, world.random.pick(this.servers), document, id)))
      await world.time.sleep(200);
    world.acknowledge(id);
  }

  trouble(): void {
    const { world } = this;
    world.every('crash-server', [500, 8000], () => this.crashServer());
    world.every('crash-worker', [500, 6000], () => this.crashWorker());
    world.every('sleep', [500, 5000], () => this.sleep());
    world.every('partition', [1000, 8000], () => this.part());
    world.every('store-away', [2000, 10_000], () => {
      world.weather.awayUntil = world.time.now + world.random.between(100, 6000);
    });
    world.every('people', [300, 4000], () => this.meddle());
  }

  /** Somebody must resume what was paused; otherwise it would rightly wait forever. */
  recover(): void {
    this.network.troubled = false;
    this.resumePaused();
  }

  private resumePaused(): void {
    const { world } = this;
    for (const state of world.watch.unended) {
      if (state.status !== 'paused') continue;
      commandAt(world, world.random.pick(this.servers), state.execution_id, { type: 'ResumeExecution' });
    }
    world.time.after(10_000, () => this.resumePaused());
  }

  private bootServer(index: number): Server {
    const { world } = this;
    const life = world.newLife(`server${index}`);
    return world.time.as(life, () => {
      const server = bootServer(world, life);
      if (index < world.shape.near) startWorker(world, life, nearApi(server.near, world.random), index);
      return server;
    });
  }

  private bootWorker(index: number): { life: Life } {
    const { world } = this;
    const life = world.newLife(`worker${index}`);
    const api = this.network.apiFor(life, () => this.servers);
    world.time.as(life, () => startWorker(world, life, api, world.shape.near + index));
    return { life };
  }

  private meddle(): void {
    const { world } = this;
    const id = world.random.pick(world.acknowledged);
    if (id === undefined) return;
    const command = world.random.pick<Command>([
      { type: 'PauseExecution' },
      { type: 'ResumeExecution' },
      { type: 'ResumeExecution' },
      { type: 'CancelExecution', reason: 'somebody said so' },
    ]);
    commandAt(world, world.random.pick(this.servers), id, command);
  }

  private crashServer(): void {
    const index = this.world.random.between(0, this.servers.length - 1);
    this.servers[index]!.life.kill();
    this.servers[index] = this.bootServer(index);
  }

  private crashWorker(): void {
    if (this.workers.length === 0) return;
    const index = this.world.random.between(0, this.workers.length - 1);
    this.workers[index]!.life.kill();
    this.workers[index] = this.bootWorker(index);
  }

  private sleep(): void {
    const { random, time } = this.world;
    const { life } = random.pick([...this.servers, ...this.workers]);
    time.putToSleep(life, random.between(100, LONGEST_SLEEP_MS));
  }

  private part(): void {
    if (this.workers.length === 0) return;
    const { random } = this.world;
    const worker = random.pick(this.workers).life.name;
    const server = random.pick(this.servers).life.name;
    this.network.part(worker, server, random.between(500, 10_000));
  }
}
