/** What the resources work with; everything is handed in. */

import type { Engine, Secrets, WorkService } from '@woof/engine';
import type { DeclaredSchedule, Diagnostic, Plan } from '@woof/net';
import type { BlobStore, SharedStore } from '@woof/stores';
import type { Audit } from './access/audit.ts';
import type { Tokens } from './access/tokens.ts';
import type { Catalogue } from './catalogue.ts';
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
  catalogue: Catalogue;
  starter: Starter;
  schedules: Schedules;
  declared: DeclaredSchedules;
  metrics: ServerMetrics;
  log: ServerLog;
  tokens: Tokens;
  secrets: Secrets;
  audit: Audit;
  compile: Compile;
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
