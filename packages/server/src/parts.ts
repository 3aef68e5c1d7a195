/** What the resources work with; everything is handed in. */

import type { Engine, Secrets, WorkService } from '@woof/engine';
import type { DeclaredSchedule, Diagnostic, Plan, Reference } from '@woof/net';
import type { BlobStore, ExecutionRow, Frame, LogLine, SharedStore } from '@woof/stores';
import type { Audit } from './access/audit.ts';
import type { HostCheck } from './access/host-check.ts';
import type { LoginCodes } from './access/login-codes.ts';
import type { Sessions } from './access/sessions.ts';
import type { Tokens } from './access/tokens.ts';
import type { Catalogue } from './catalogue.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { DeclaredSchedules } from './declared-schedules.ts';
import type { EventHub } from './event-hub.ts';
import type { ServerLog } from './log/server-log.ts';
import type { ServerMetrics } from './metrics/server-metrics.ts';
import type { Schedules } from './schedules.ts';
import type { Starter } from './starter.ts';
import type { WatchedLogs } from './watched-logs.ts';

export interface Parts {
  store: SharedStore;
  blobs: BlobStore;
  logs: WatchedLogs;
  engine: Engine;
  work: WorkService;
  hub: EventHub;
  changes: ChangeFeed;
  catalogue: Catalogue;
  starter: Starter;
  schedules: Schedules;
  declared: DeclaredSchedules;
  metrics: ServerMetrics;
  log: ServerLog;
  tokens: Tokens;
  sessions: Sessions;
  codes: LoginCodes;
  hosts: HostCheck;
  secrets: Secrets;
  audit: Audit;
  compile: Compile;
  /** Absent: this process makes no reports. */
  report?: BuildReport | undefined;
  version: string;
  /** `sqlite` or `postgres`; never its address. */
  storeKind: string;
  startedAt: number;
  /** As the store knows this server. */
  serverId: string;
  now: () => number;
  /** Whoever runs this process is to stop the server. */
  onStopAsked: () => void;
  /** Whether a process is behind the name of a driver. */
  isDriving: (driver: string) => boolean;
  /** Whether the server still takes work. */
  isStopping: () => boolean;
  /** A listener that takes nothing for so long is dropped. */
  listenerMs: number;
  /** Ends what would go on for ever: streams and waiting claims. */
  stopped: AbortSignal;
}

export interface Compiled {
  kind: string;
  /** There exactly where it can run. */
  plan?: Plan;
  /** What it declares of when it is started. */
  schedules?: DeclaredSchedule[];
  diagnostics: Diagnostic[];
}

/** A document's text to a plan. `file` is only a name. */
export type Compile = (text: string, file: string | undefined) => Compiled;

/** All that a report shows of a run. */
export interface ReportSource {
  row: ExecutionRow;
  plan: Plan;
  frames: AsyncIterable<Frame>;
  logs: AsyncIterable<LogLine>;
  document(): Promise<string | undefined>;
  text(reference: Reference): Promise<string>;
  children: ExecutionRow[];
}

/** The HTML of a report, or why there can be none. */
export type BuildReport = (source: ReportSource) => Promise<{ html: string } | { refused: string }>;
