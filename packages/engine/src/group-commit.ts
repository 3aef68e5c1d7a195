/**
 * The group commit: everything decided before a commit goes into it, as one frame per execution.
 *
 * Owns: when a commit happens, and who is told that it is durable. Does not own: what is decided, leased or started.
 * Invariants: one commit at a time, in order; a frame that the store did not accept is reported as lost; after the
 * store fails for good, nothing is ever committed.
 */
import type { Event } from '@woof/net';
import { type Append, type Snapshot, StoreError, type Values } from '@woof/stores';
import type { AfterCommit } from './after-commit.ts';
import type { Bounds } from './bounds.ts';
import { Deferred } from './deferred.ts';
import type { Dispatch } from './dispatch.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Failures } from './failures.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Sharing } from './sharing/sharing.ts';
import { snapshotDue } from './snapshots.ts';

/** Limits on what a commit may gather while only computation is running. */
const MOST_POSTPONED = 64;
const MOST_UNSAVED_EVENTS = 4000;
const MOST_UNSAVED_BYTES = 8 * 1024 * 1024;
/**
 * If other runs are driven here, long work waits once a commit has this many events, because the frames of the others
 * wait for all of it. Measured beside endless calls: a short run takes half as long, and a loop of 20,000 beside short
 * runs takes about as long as without this limit.
 */
const EVENTS_BESIDE_OTHERS = 250;

export interface CommitParts {
  readonly options: Pick<EngineOptions, 'executor' | 'store' | 'onCommit'>;
  readonly bounds: Pick<Bounds, 'hasOthers' | 'limits'>;
  readonly values: Pick<Values, 'hasPending' | 'pendingBytes' | 'save'>;
  readonly afterCommit: Pick<AfterCommit, 'appended'>;
  readonly dispatch: Pick<Dispatch, 'canLease' | 'hasLeased' | 'leaseAll' | 'startLeased'>;
  readonly failures: Pick<Failures, 'failed' | 'isPassing' | 'lost'>;
  readonly sharing: Pick<Sharing, 'complete'>;
}

export interface CommitFigures {
  frames: number;
  events: number;
  ms: number;
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
  /** The snapshots that are being written. */
  private readonly snapshots = new Set<Promise<void>>();
  private fault: { error: unknown } | undefined;

  constructor(private readonly parts: CommitParts) {}

  /** Resolves when there is nothing to write any more. */
  async idle(): Promise<void> {
    while (this.fault === undefined && (this.saving !== undefined || this.dirty.size > 0)) await this.saved();
    await Promise.all(this.snapshots);
  }

  /** `weight`: how many further events these count for, because they are long. */
  add(execution: LiveExecution, events: readonly Event[], weight = 0): void {
    execution.add(events);
    this.unsaved += events.length + weight;
    this.dirty.add(execution);
    this.schedule();
  }

  /** The frame of this execution must not be written any more. */
  drop(execution: LiveExecution): void {
    this.dirty.delete(execution);
  }

  /** Resolves when all that was added so far is in the store, or lost. */
  saved(): Promise<void> {
    if (this.fault) return Promise.reject(this.fault.error);
    if (this.dirty.size === 0) return this.saving?.promise ?? Promise.resolve();
    this.awaited = true;
    this.schedule();
    return this.next.promise;
  }

  /** For long work of a run: resolves when there may be room in a commit; undefined: there is. */
  roomFor(root: string): Promise<void> | undefined {
    if (this.unsaved < EVENTS_BESIDE_OTHERS || this.fault !== undefined) return undefined;
    // Of what was counted, a dropped execution may have taken everything along: then no commit comes to wait for.
    const isComing = this.dirty.size > 0 || this.saving !== undefined;
    return isComing && this.parts.bounds.hasOthers(root) ? this.saved() : undefined;
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
    this.parts.failures.failed(error);
  }

  private async flush(): Promise<void> {
    const { dispatch } = this.parts;
    try {
      // Still marked as scheduled: what is leased now belongs to this very commit.
      const computing = dispatch.leaseAll() && !dispatch.hasLeased;
      this.scheduled = false;
      if (this.fault) return;
      if (computing && this.mayPostpone()) {
        this.postponed += 1;
        this.schedule();
        return;
      }
      await this.commit();
      dispatch.startLeased();
      // Waiters are notified even if what they wait for was dropped.
      if (dispatch.canLease || this.dirty.size > 0 || this.awaited) this.schedule();
    } catch (error) {
      this.fail(error);
    }
  }

  /** While only computation is running and nobody waits, a commit can gather more. */
  private mayPostpone(): boolean {
    const isSmall = this.unsaved < MOST_UNSAVED_EVENTS && this.parts.values.pendingBytes < MOST_UNSAVED_BYTES;
    return isSmall && !this.awaited && this.postponed < MOST_POSTPONED;
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
    const { bounds, sharing, afterCommit, failures } = this.parts;
    const frames: { execution: LiveExecution; append: Append }[] = [];
    const snapshots: { execution: LiveExecution; snapshot: Snapshot }[] = [];
    for (const execution of this.dirty) {
      execution.noteAsking();
      sharing.complete(execution);
      for (const append of execution.takeFrames(bounds.limits.frame_events))
        frames.push({ execution, append });
      const snapshot = snapshotDue(execution);
      if (snapshot) snapshots.push({ execution, snapshot });
    }
    this.dirty.clear();
    const lost = await this.append(frames.map(({ append }) => append));
    for (const { execution, append } of frames) {
      if (lost.has(append.execution_id)) {
        failures.lost(execution, lost.get(append.execution_id));
        continue;
      }
      execution.durable += append.events.length;
      afterCommit.appended(execution, append.events);
    }
    for (const { execution, snapshot } of snapshots)
      if (execution.phase.is !== 'lost') this.saveSnapshotSoon(execution.id, snapshot);
  }

  /** Only `idle` waits for it. */
  private saveSnapshotSoon(executionId: string, snapshot: Snapshot): void {
    const saved = this.saveSnapshot(executionId, snapshot).catch((error: unknown) => this.fail(error));
    this.snapshots.add(saved);
    void saved.finally(() => this.snapshots.delete(saved));
  }

  /** A snapshot only saves time: if the store is unavailable for a moment, the next one will do. */
  private async saveSnapshot(executionId: string, snapshot: Snapshot): Promise<void> {
    try {
      await this.parts.options.store.saveSnapshot(executionId, snapshot);
    } catch (error) {
      if (!this.parts.failures.isPassing(error)) throw error;
    }
  }

  /** The executions whose frames were not accepted, with the fault if there was one. */
  private async append(batch: Append[]): Promise<Map<string, unknown>> {
    const { options, values, failures } = this.parts;
    const { store, onCommit } = options;
    try {
      if (values.hasPending) await values.save();
      const before = onCommit && performance.now();
      const refused = batch.length > 0 ? await store.append(batch, this.othersRun) : [];
      if (before !== undefined) onCommit?.(figuresOf(batch, performance.now() - before));
      return refused.length === 0 ? NONE : new Map(refused.map((one) => [one.execution_id, undefined]));
    } catch (error) {
      if (!failures.isPassing(error)) throw error;
      if (batch.length > 1 && !(error instanceof StoreError)) return this.appendEach(batch);
      return new Map(batch.map((one) => [one.execution_id, error]));
    }
  }

  /**
   * True if this thread has something to do while the disk works. A guess: the only other job may be the one that waits
   * for this commit.
   */
  private get othersRun(): boolean {
    return (this.parts.options.executor.busy ?? 0) > 1;
  }

  /** A frame that the store cannot accept must not take the others with it. */
  private async appendEach(batch: Append[]): Promise<Map<string, unknown>> {
    const lost = new Map<string, unknown>();
    for (const append of batch) {
      if (lost.has(append.execution_id)) continue;
      for (const [id, error] of await this.append([append])) lost.set(id, error);
    }
    return lost;
  }
}

const NONE: Map<string, unknown> = new Map();

function figuresOf(batch: readonly Append[], ms: number): CommitFigures {
  return { frames: batch.length, events: batch.reduce((sum, one) => sum + one.events.length, 0), ms };
}
