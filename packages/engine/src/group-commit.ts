/**
 * The group commit: whatever was decided before a commit goes into it, one frame an execution.
 *
 * Owns: when a commit happens, and who is told that it is durable. Does not own: what is decided, leased or started.
 * Invariants: one commit at a time, in order; when the store fails, nothing is committed ever after.
 */
import type { Event } from '@woof/net';
import type { Store } from '@woof/stores';
import { Deferred } from './deferred.ts';
import type { LiveExecution } from './live-execution.ts';
import { snapshotDue } from './snapshots.ts';
import type { Values } from './values.ts';

/** Bounds on what a commit may gather while only computation goes on. */
const MOST_POSTPONED = 64;
const MOST_UNSAVED_EVENTS = 4000;

export interface CommitHooks {
  store: Store;
  values: Values;
  /** Decides what else belongs to this commit. True: only computation started, so that more may come at once. */
  before(): boolean;
  appended(executionId: string, events: readonly Event[]): void;
  /** All of it is durable. True: there is more to decide. */
  after(): boolean;
  /** Told once. */
  failed(error: unknown): void;
}

export class GroupCommit {
  private readonly dirty = new Set<LiveExecution>();
  private next = new Deferred<void>();
  /** The commit under way. */
  private saving: Deferred<void> | undefined;
  private scheduled = false;
  /** Somebody waits for the next commit. */
  private awaited = false;
  private postponed = 0;
  private unsaved = 0;
  private fault: { error: unknown } | undefined;

  constructor(private readonly hooks: CommitHooks) {}

  get isBusy(): boolean {
    return this.fault === undefined && (this.saving !== undefined || this.dirty.size > 0);
  }

  add(execution: LiveExecution, events: readonly Event[]): void {
    execution.add(events);
    this.unsaved += events.length;
    this.dirty.add(execution);
    this.schedule();
  }

  /** Resolves when all that was added so far is in the store. */
  saved(): Promise<void> {
    if (this.fault) return Promise.reject(this.fault.error);
    if (this.dirty.size === 0) return this.saving?.promise ?? Promise.resolve();
    this.awaited = true;
    this.schedule();
    return this.next.promise;
  }

  schedule(): void {
    if (this.scheduled || this.saving || this.fault) return;
    this.scheduled = true;
    setImmediate(() => void this.flush());
  }

  fail(error: unknown): void {
    if (this.fault) return;
    this.fault = { error };
    this.saving?.reject(error);
    this.next.reject(error);
    this.hooks.failed(error);
  }

  private async flush(): Promise<void> {
    try {
      // Still marked as scheduled: what is decided now belongs to this very commit.
      const computing = this.hooks.before();
      this.scheduled = false;
      if (this.fault) return;
      if (computing && this.mayPostpone()) {
        this.postponed += 1;
        this.schedule();
        return;
      }
      await this.commit();
      if (this.hooks.after() || this.dirty.size > 0) this.schedule();
    } catch (error) {
      this.fail(error);
    }
  }

  /** While only computation goes on and nobody waits, a commit can take more of it. */
  private mayPostpone(): boolean {
    return !this.awaited && this.postponed < MOST_POSTPONED && this.unsaved < MOST_UNSAVED_EVENTS;
  }

  private async commit(): Promise<void> {
    const saving = this.next;
    this.next = new Deferred<void>();
    this.saving = saving;
    this.awaited = false;
    this.postponed = 0;
    this.unsaved = 0;
    await this.save();
    this.saving = undefined;
    saving.resolve();
  }

  private async save(): Promise<void> {
    const { store, values } = this.hooks;
    const flushed = [...this.dirty];
    this.dirty.clear();
    const batch = flushed.flatMap((execution) => execution.takeFrame() ?? []);
    const snapshots = flushed.map((execution) => ({ id: execution.id, snapshot: snapshotDue(execution) }));
    if (values.hasPending) await values.save();
    const refused = batch.length > 0 ? await store.append(batch) : [];
    if (refused.length > 0) throw new Error(`another process writes execution ${refused[0]!.execution_id}`);
    for (const append of batch) this.hooks.appended(append.execution_id, append.events);
    for (const { id, snapshot } of snapshots) if (snapshot) await store.saveSnapshot(id, snapshot);
  }
}
