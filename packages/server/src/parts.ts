/** What the resources depend on; everything is passed in. */

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
  /** Absent if this process cannot build reports. */
  report?: BuildReport | undefined;
  version: string;
  /** `sqlite` or `postgres`, never the address. */
  storeKind: string;
  startedAt: number;
  /** The name under which the store knows this server. */
  serverId: string;
  now: () => number;
  /** Asks the owner of this process to stop the server. */
  onStopAsked: () => void;
  /** Whether the driver with this name is a living process. */
  isDriving: (driver: string) => boolean;
  /** Whether the server has stopped accepting work. */
  isStopping: () => boolean;
  /** A listener that reads nothing for this long is disconnected. */
  listenerMs: number;
  /** Ends what would otherwise never end: streams and waiting claims. */
  stopped: AbortSignal;
}

export interface Compiled {
  kind: string;
  /** Present exactly if it can run. */
  plan?: Plan;
  /** When the document says that it is started. */
  schedules?: DeclaredSchedule[];
  diagnostics: Diagnostic[];
}

/** Compiles the text of a document to a plan. `file` is only a name. */
export type Compile = (text: string, file: string | undefined) => Compiled;

/** Everything that a report shows about a run. */
export interface ReportSource {
  row: ExecutionRow;
  plan: Plan;
  frames: AsyncIterable<Frame>;
  logs: AsyncIterable<LogLine>;
  document(): Promise<string | undefined>;
  text(reference: Reference): Promise<string>;
  children: ExecutionRow[];
}

/** The HTML of a report, or why there is none. */
export type BuildReport = (source: ReportSource) => Promise<{ html: string } | { refused: string }>;
