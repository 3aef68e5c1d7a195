/**
 * Starts executions, once per idempotency key: the id is reserved first, then the execution starts under it. A caller
 * that retries after a crash in between gets the same id, and the execution is started.
 */
import { createHash } from 'node:crypto';
import { type Engine, newExecutionId, type Secrets, type StartRequest, workloadFault } from '@woof/engine';
import { type ExecutionStatus, encodeJson, type Plan } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { SharedStore } from '@woof/stores';
import { missingSecret } from './missing-secret.ts';

export const IDEMPOTENCY = 'idempotency';
const RETRY_AFTER_S = 5;

export interface Once {
  /** Different tokens do not share keys. */
  token: string;
  key: string | undefined;
  /** The request: using the same key for a different request is an error. */
  asked: unknown;
}

export class Starter {
  private readonly under = new Map<string, Promise<unknown>>();

  constructor(
    private readonly engine: Engine,
    private readonly store: SharedStore,
    private readonly now: () => number,
    /** Maximum executions in memory. Further starts are refused. */
    private readonly mostRunning: number,
    private readonly secrets: Pick<Secrets, 'list'>,
  ) {}

  /** Every start goes through here: it enforces the limits and refuses a run whose secrets are missing. */
  async begin(request: StartRequest): Promise<string> {
    const full = this.whyFull();
    if (full !== undefined)
      throw new Problem('request/too-many', `${full}; try again later`, { retry_after_s: RETRY_AFTER_S });
    const fault = workloadFault(request.workload);
    if (fault !== undefined) throw new Problem('request/too-large', fault);
    if (request.plan.keychain.length > 0) await this.refuseMissing(request.plan);
    return this.engine.start(request);
  }

  private whyFull(): string | undefined {
    if (this.engine.counts.live >= this.mostRunning)
      return `${this.mostRunning} executions are already in the memory of this server`;
    if (this.engine.isFull) return 'the executions on this server use more memory than --limit process_bytes';
    return undefined;
  }

  private async refuseMissing(plan: Plan): Promise<void> {
    const missing = missingSecret(plan, await this.secrets.list());
    if (missing !== undefined) throw new Problem('secrets/missing', missing);
  }

  async start(request: StartRequest, once: Once) {
    if (once.key === undefined) return this.begun(await this.begin(request));
    const name = `${once.token}:${once.key}`;
    // One at a time per key: the second call finds what the first one started.
    const before = this.under.get(name) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => this.startOnce(name, request, once.asked));
    this.under.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.under.get(name) === mine) this.under.delete(name);
    }
  }

  private async startOnce(name: string, request: StartRequest, asked: unknown) {
    const id = await this.reserve(name, hash(asked));
    const row = await this.store.execution(id);
    if (row) return { execution_id: id, status: row.status };
    return this.begun(await this.begin({ ...request, executionId: id }));
  }

  private async reserve(name: string, asked: string): Promise<string> {
    const id = newExecutionId(this.now());
    const value = { execution_id: id, asked, at: this.now() };
    if (await this.store.records.put(IDEMPOTENCY, name, value, 0)) return id;
    const known = (await this.store.records.get(IDEMPOTENCY, name))?.value;
    if (known?.asked !== asked)
      throw new Problem('request/conflict', 'this idempotency key was already used for another request');
    return String(known.execution_id);
  }

  /** A run that has just started is usually in memory. A later status that is not durable yet must not be reported. */
  private async begun(id: string): Promise<{ execution_id: string; status: ExecutionStatus }> {
    const isLive = this.engine.stateOf(id)?.status === 'running';
    const status = isLive ? 'running' : (await this.store.execution(id))?.status;
    return { execution_id: id, status: status ?? 'running' };
  }
}

function hash(asked: unknown): string {
  return createHash('sha256').update(encodeJson(asked)).digest('hex');
}
