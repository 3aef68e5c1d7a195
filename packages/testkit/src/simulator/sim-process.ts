/**
 * `woof run` or `woof resume` in a folder: the real engine and worker in one process that drives one run, then exits.
 */
import { claimRun, Engine, endOfAdopted, leaveRuns } from '@woof/engine';
import { isEnded, type Plan, type State } from '@woof/net';
import type { SharedStore } from '@woof/stores';
import { Worker } from '@woof/worker';
import type { OwnerWatch } from './owner-watch.ts';
import { CHILD } from './sim-plans.ts';
import { machineOf } from './sim-worker.ts';
import type { Life } from './virtual-time.ts';
import type { World } from './world.ts';

export class SimProcess {
  private readonly store: SharedStore;
  private readonly worker: Worker;
  readonly engine: Engine;
  private readonly claimed = new Map<string, string | null>();
  private readonly interrupted: Promise<undefined>;
  private stop!: () => void;

  constructor(
    private readonly world: World,
    private readonly owners: OwnerWatch,
    readonly life: Life,
  ) {
    this.interrupted = new Promise((resolve) => {
      this.stop = () => resolve(undefined);
    });
    owners.folder.lock(this.life);
    this.store = world.storeOf(this.life);
    this.worker = this.newWorker();
    this.engine = new Engine({
      store: this.store,
      blobs: world.blobs,
      executor: this.worker,
      owner: this.life.name,
      resolve: async () => ({ plan: CHILD, source: {} }),
      onEvents: (id, events) => {
        for (const { name, task_run_id: task } of events)
          if (name === 'task.done' && !world.watch.hasDone(id, task!))
            world.violate(`execution ${id}: ${task} was told and is not in the log`);
      },
      onFault: (_, error) => world.note(error),
    });
  }

  run(plan: Plan, executionId: string, onStarted: () => void): void {
    this.drive(executionId, async () => {
      const started = this.engine.start({ executionId, plan, source: {}, workload: {} });
      const end = this.engine.finished(executionId);
      await started;
      onStarted();
      return end;
    });
  }

  resume(executionId: string): void {
    this.drive(executionId, async () => {
      const { world, owners, store } = this;
      const since = world.time.now;
      const { name } = this.life;
      const folder = { store, presence: owners.folder.presence };
      const remember = (from: string | null) => this.claimed.set(executionId, from);
      const claimed = await claimRun(folder, executionId, name, remember);
      if ('owner' in claimed) {
        world.guard(() => owners.wasRefused(executionId, name, { owner: claimed.owner, since }));
        return undefined;
      }
      const state = await this.engine.adopt(executionId);
      return state && endOfAdopted(this.engine, state);
    });
  }

  /** Ctrl-C. */
  interrupt(): void {
    if (this.world.sabotage === 'rude-stop') this.life.kill();
    else this.world.time.enter(this.life, this.stop);
  }

  private drive(id: string, begin: () => Promise<State | undefined>): void {
    this.world.time.enter(this.life, () => void this.live(id, begin));
  }

  private async live(id: string, begin: () => Promise<State | undefined>): Promise<void> {
    const { world } = this;
    try {
      const state = await Promise.race([begin(), this.interrupted]);
      if (state && isEnded(state) && world.watch.stateOf(id)?.status !== state.status)
        world.violate(
          `execution ${id}: ${this.life.name} says ${state.status}, and the log says ${world.watch.stateOf(id)?.status}`,
        );
    } catch (error) {
      world.note(error);
    }
    await this.leave().catch((error: unknown) => world.note(error));
    this.life.kill();
  }

  private async leave(): Promise<void> {
    const { engine, worker, store, claimed, life } = this;
    const { folder } = this.owners;
    if (this.world.sabotage === 'early-release') folder.release(life);
    await leaveRuns({ engine, worker, store, driver: life.name, claimed });
    this.world.guard(() => this.owners.left(life.name));
    folder.release(life);
  }

  private newWorker(): Worker {
    const { world } = this;
    const { slots } = world.shape;
    const worker = new Worker({
      id: this.life.name,
      slots,
      ...machineOf(world),
      onAside: () => this.engine.slotFreed(),
      onFree: () => this.engine.slotFreed(),
    });
    if (world.sabotage === 'live-state') this.showLiveState(worker);
    return worker;
  }

  private showLiveState(worker: Worker): void {
    const execute = worker.execute.bind(worker);
    worker.execute = (assignment, name, port) =>
      execute({ ...assignment, world: this.engine.stateOf(assignment.execution_id)! }, name, port);
  }
}
