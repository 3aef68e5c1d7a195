/**
 * The parts of one engine, created once and in order. Each part declares the few others that it uses in its own
 * interface (`FamilyParts`, `CommitParts`), and finds them here when it is called. While a part is being created, it
 * reads only those above it.
 */
import type { Env } from '@woof/net';
import { Values } from '@woof/stores';
import { AfterCommit } from './after-commit.ts';
import { Bounds } from './bounds.ts';
import { Decisions } from './decisions.ts';
import { Dispatch } from './dispatch.ts';
import type { EngineOptions } from './engine-options.ts';
import { Failures } from './failures.ts';
import { FairTicks } from './fair-ticks.ts';
import { Family } from './family.ts';
import { GroupCommit } from './group-commit.ts';
import { KeptDocuments } from './kept-documents.ts';
import { Leases } from './leases.ts';
import type { LiveExecution } from './live-execution.ts';
import { Loading } from './loading.ts';
import { LocalPort } from './local-port.ts';
import { LongTurns } from './long-turns.ts';
import { LoopResults } from './loop-results.ts';
import { Orphans } from './orphans.ts';
import { Parking } from './parking.ts';
import { Alone } from './sharing/alone.ts';
import { Shared } from './sharing/shared.ts';
import type { Sharing } from './sharing/sharing.ts';
import { Starts } from './starts.ts';
import { Timers } from './timers.ts';

export class Parts {
  readonly now: () => number;
  /** The executions that this process drives now. */
  readonly live = new Map<string, LiveExecution>();
  readonly ticks = new FairTicks((root) => this.commit.roomFor(root));
  readonly timers: Timers;
  readonly bounds: Bounds;
  readonly longTurns: LongTurns;
  readonly values: Values;
  /** What templates may ask of this process. */
  readonly host: Env['host'];
  readonly documents: KeptDocuments;
  readonly decisions: Decisions;
  readonly failures: Failures;
  readonly sharing: Sharing;
  readonly loading: Loading;
  readonly starts: Starts;
  readonly family: Family;
  readonly orphans: Orphans;
  readonly parking: Parking;
  readonly loopResults: LoopResults;
  readonly leases: Leases;
  readonly port: LocalPort;
  readonly dispatch: Dispatch;
  readonly afterCommit: AfterCommit;
  readonly commit: GroupCommit;

  constructor(readonly options: EngineOptions) {
    const { blobs, inlineMaxBytes } = options;
    this.now = options.now ?? Date.now;
    this.timers = new Timers(this.now);
    this.bounds = new Bounds(options.limits, this.live, this.now);
    this.longTurns = new LongTurns(this);
    this.values = new Values(blobs, { inlineMaxBytes, valueBytes: this.bounds.limits.value_bytes });
    this.host = this.values.host(this.now);
    this.documents = new KeptDocuments(blobs);
    this.decisions = new Decisions(this);
    this.failures = new Failures(this);
    this.sharing = options.driver === undefined ? new Alone(this) : new Shared(this, options.driver);
    this.loading = new Loading(this);
    this.starts = new Starts(this);
    this.family = new Family(this);
    this.orphans = new Orphans(this);
    this.parking = new Parking(this);
    this.loopResults = new LoopResults(this);
    this.leases = new Leases(this);
    this.port = new LocalPort(this);
    this.dispatch = new Dispatch(this);
    this.afterCommit = new AfterCommit(this);
    this.commit = new GroupCommit(this);
  }
}
