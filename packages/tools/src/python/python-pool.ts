/**
 * Warm workers, which run one task at a time each.
 *
 * Invariants: two tasks share a worker only if everything that shapes its sandbox is equal. A worker is reused only
 * after it has reported that nothing of the last task is left. A bounded number stays idle, for a bounded time. There
 * are never more than `maxWorkers`, as long as no more than that are in use at the same time.
 */
import { PythonWorker, type WorkerSetting } from './python-worker.ts';

const MAX_IDLE = 8;
const IDLE_MS = 60_000;

interface Idle {
  key: string;
  worker: PythonWorker;
  expiry: NodeJS.Timeout;
}

export class PythonPool {
  /** The oldest first. Some may still be cleaning up, which takes less time than starting another. */
  #idle: Idle[] = [];
  readonly #workers = new Set<PythonWorker>();

  constructor(
    private readonly maxWorkers: number,
    private readonly idleMs = IDLE_MS,
  ) {}

  async take(setting: WorkerSetting): Promise<PythonWorker> {
    const key = JSON.stringify(setting);
    for (;;) {
      const at = this.#idle.findLastIndex((idle) => idle.key === key && idle.worker.alive);
      if (at < 0) return this.#start(setting);
      const [{ worker, expiry }] = this.#idle.splice(at, 1) as [Idle];
      clearTimeout(expiry);
      worker.setIdle(false);
      if (await worker.cleaned) return worker;
    }
  }

  giveBack(setting: WorkerSetting, worker: PythonWorker): void {
    if (!worker.alive) return;
    worker.setIdle(true);
    const expiry = setTimeout(() => this.#retire(worker), this.idleMs);
    expiry.unref();
    this.#idle.push({ key: JSON.stringify(setting), worker, expiry });
    if (this.#idle.length > MAX_IDLE) this.#retireOldest();
  }

  async close(): Promise<void> {
    const workers = [...this.#workers];
    for (const worker of workers) {
      worker.setIdle(false);
      this.#retire(worker);
    }
    await Promise.all(workers.map((worker) => worker.ended));
  }

  #start(setting: WorkerSetting): PythonWorker {
    if (this.#workers.size >= this.maxWorkers) this.#retireOldest();
    const worker = new PythonWorker(setting);
    this.#workers.add(worker);
    worker.ended.then(() => this.#forget(worker)).catch(() => undefined);
    return worker;
  }

  #retireOldest(): void {
    const [oldest] = this.#idle;
    if (oldest) this.#retire(oldest.worker);
  }

  #retire(worker: PythonWorker): void {
    this.#forget(worker);
    worker.kill();
  }

  #forget(worker: PythonWorker): void {
    this.#workers.delete(worker);
    this.#idle = this.#idle.filter((idle) => {
      if (idle.worker === worker) clearTimeout(idle.expiry);
      return idle.worker !== worker;
    });
  }
}
