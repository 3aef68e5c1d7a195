/**
 * A server: engine, desk and upkeep on a shared store, behind HTTP.
 *
 * When it stops, it hands out no more jobs, lets the calls in progress finish within a grace time, writes what is
 * decided, and leaves. Other servers take over its executions at once.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import {
  Desk,
  Engine,
  type EngineLimits,
  FarSignals,
  LEASE_TTL_MS,
  newExecutionId,
  Scheduler,
  Secrets,
  TraceExporter,
  type TraceSettings,
  Upkeep,
  WorkService,
} from '@woof/engine';
import type { Role, WireLogLine } from '@woof/protocol';
import type { BlobStore, LogStore, SharedStore } from '@woof/stores';
import { Audit } from './access/audit.ts';
import { HostCheck } from './access/host-check.ts';
import { LoginCodes } from './access/login-codes.ts';
import { RateLimit } from './access/rate-limit.ts';
import { Sessions } from './access/sessions.ts';
import { Tokens } from './access/tokens.ts';
import { createApp, LIMITS, type Limits } from './app.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { Catalogue } from './catalogue.ts';
import { ChangeFeed } from './change-feed.ts';
import { DeclaredSchedules } from './declared-schedules.ts';
import { EventHub } from './event-hub.ts';
import { ListIndexer } from './list-indexer.ts';
import { ServerLog } from './log/server-log.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import type { BuildReport, Compile, Parts } from './parts.ts';
import { Retention } from './retention.ts';
import { scheduledStart } from './scheduled-start.ts';
import { Schedules } from './schedules.ts';
import { Starter } from './starter.ts';
import { WatchedLogs } from './watched-logs.ts';
import { type WorkbookOptions, WorkbookPages } from './workbooks/workbook-pages.ts';

export interface ServerOptions {
  store: SharedStore;
  blobs: BlobStore;
  logs: LogStore;
  compile: Compile;
  /** Builds the page of a run. Without it, the server has no such page. */
  report?: BuildReport;
  /** Each has 32 bytes. The first encrypts secrets; all of them are tried for decryption. */
  secretKeys: readonly Buffer[];
  version: string;
  /** The name of the store in `server.get`. */
  storeKind?: string;
  listen: { host: string; port: number };
  /** Names that it answers to besides the loopback ones, or origins under which it is reached. */
  hosts?: readonly string[];
  /** Maximum calls per second per token. */
  perSecond?: number;
  /** Maximum calls per second per address without a valid token. */
  strangersPerSecond?: number;
  limits?: Partial<Limits>;
  /** The folder of the built documentation site. */
  docs?: string;
  /** The folder of the built Studio. */
  studio?: string;
  /** If given, the server shows workbooks under this domain. */
  workbooks?: WorkbookOptions | undefined;
  /** Days for which executions are kept after they end, if the store removes any. Default: forever. */
  keepDays?: number;
  /** Maximum executions in memory at once. Further starts are answered with 429. */
  maxRunning?: number;
  /** Size limits of executions. */
  engineLimits?: Partial<EngineLimits>;
  log?: ServerLog;
  /** Where spans are sent. */
  traces?: TraceSettings | undefined;
  /** A server or worker that sends no heartbeat for this long is considered gone. */
  ttlMs?: number;
  now?: () => number;
  /** Whether the local process with this driver id, which drives runs in the same store, still exists. */
  isDriving?: (driver: string) => boolean;
  /** Called when an admin asks the server to stop. The process must stop it. */
  onStopAsked?: () => void;
  onFault: (error: unknown, about?: { execution_id: string }) => void;
  /** The engine can make no further decisions. The process must exit, so that other servers take over. */
  onFailed?: (error: unknown) => void;
}

const UPKEEP_EVERY_MS = 1000;
const PER_SECOND = 500;
const STRANGERS_PER_SECOND = 50;
const MOST_RUNNING = 100_000;
const SCHEDULES_EVERY_MS = 1000;

export class Server {
  private stopping = false;

  private constructor(
    readonly parts: Parts,
    private readonly inner: {
      app: ReturnType<typeof createApp>;
      calls: CallsUnderWay;
      engine: Engine;
      upkeep: Upkeep;
      work: WorkService;
      elsewhere: FarSignals[];
      streams: AbortController;
      scheduler: Scheduler;
      indexer: ListIndexer;
      traces: TraceExporter | undefined;
    },
    readonly id: string,
  ) {}

  static async start(options: ServerOptions): Promise<Server> {
    const { store, blobs, compile, onFault, now = Date.now, ttlMs = LEASE_TTL_MS, listen } = options;
    const id = `server-${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
    const hub = new EventHub(store, id, onFault);
    const changes = new ChangeFeed(store, id, onFault);
    const indexer = new ListIndexer(store, onFault);
    const metrics = new ServerMetrics();
    const { version, log = new ServerLog({ level: 'error', format: 'text', write: () => {} }) } = options;
    const traces = options.traces && new TraceExporter({ store, version, onFault, ...options.traces });
    const catalogue = new Catalogue(store.records, compile, now);
    const desk: Desk = new Desk({
      onFree: () => {
        engine.slotFreed();
        upkeep.freed();
      },
    });
    const engine: Engine = new Engine({
      store,
      blobs,
      now,
      executor: desk,
      driver: id,
      resolve: (path) => catalogue.resolve(path),
      ...(options.isDriving ? { isDriving: options.isDriving } : {}),
      ...(options.engineLimits ? { limits: options.engineLimits } : {}),
      onEvents: (executionId, events, _, from) => {
        hub.publish(executionId, { from, events });
        changes.changed();
        if (events.at(-1)?.name === 'playbook.processed') logs.changed(executionId);
        metrics.engine.events(executionId, events);
        traces?.note(executionId, events);
      },
      onCommit: (figures) => metrics.engine.committed(figures),
      onTaken: (executionId, from, seq) => upkeep.tellTaken(executionId, from, seq),
      onLeftOver: () => upkeep.leftOver(),
      onFault: (execution_id, error) => onFault(error, { execution_id }),
      ...(options.onFailed ? { onFailed: options.onFailed } : {}),
    });
    const secrets = new Secrets(store.records, options.secretKeys, now);
    const far = { store, serverId: id, onFault };
    const logsElsewhere = new FarSignals({
      ...far,
      topic: 'logs',
      onSaid: (executionId) => logs.wake(executionId),
    });
    const logs = new WatchedLogs(options.logs, logsElsewhere);
    const onLog = (lines: WireLogLine[]) => logs.append(lines);
    const isCurrent = () => upkeep.isCurrent();
    const limitsElsewhere = new FarSignals({
      ...far,
      topic: 'limit',
      onSaid: (key, places) => work.leftElsewhere(key, places),
    });
    const work: WorkService = new WorkService({
      engine,
      desk,
      store,
      ttlMs,
      now,
      onLog,
      secrets,
      isCurrent,
      elsewhere: limitsElsewhere,
    });
    const member = { id, kind: 'server' as const, info: { version: options.version, pid: process.pid } };
    const { keepDays } = options;
    const forgetRuns = async () =>
      keepDays !== undefined && (await store.forgetExecutions?.(keepDays)) === true;
    const retention = new Retention(store.records, now, options.logs, forgetRuns);
    const upkeep: Upkeep = new Upkeep({
      store,
      engine,
      desk,
      member,
      ttlMs,
      everyMs: UPKEEP_EVERY_MS,
      now,
      clean: () => retention.clean(),
      onFault,
    });
    const starter = new Starter(engine, store, now, options.maxRunning ?? MOST_RUNNING, secrets);
    const declared = new DeclaredSchedules({
      records: store.records,
      catalogue,
      log,
      now,
      changed: () => scheduler.changed(),
    });
    const scheduler: Scheduler = new Scheduler({
      store,
      everyMs: SCHEDULES_EVERY_MS,
      now,
      newId: () => newExecutionId(now()),
      start: scheduledStart({ store, catalogue, declared, starter, metrics, log }),
      cancel: async (executionId, reason) => {
        await engine.command(executionId, { type: 'CancelExecution', reason });
      },
      onFault,
    });
    metrics.watch({ engine, store, hub, traces });
    const limits = { ...LIMITS, ...options.limits };
    const streams = new AbortController();
    // Every stream and every waiting claim adds a listener.
    setMaxListeners(0, streams.signal);
    const tokens = new Tokens(store.records, now);
    const hosts = new HostCheck({ listen: listen.host, named: options.hosts ?? [] });
    const parts: Parts = {
      store,
      blobs,
      logs,
      engine,
      work,
      hub,
      changes,
      catalogue,
      compile,
      report: options.report,
      now,
      starter,
      metrics,
      log,
      schedules: new Schedules(store, catalogue, scheduler, now, keepDays),
      declared,
      tokens,
      sessions: new Sessions(store.records, tokens, now),
      codes: new LoginCodes(store.records, tokens, now),
      hosts,
      secrets,
      audit: new Audit(store.records),
      version: options.version,
      storeKind: options.storeKind ?? 'memory',
      startedAt: now(),
      serverId: id,
      onStopAsked: options.onStopAsked ?? (() => {}),
      isDriving: options.isDriving ?? (() => true),
      isStopping: () => server.stopping,
      stopped: streams.signal,
      listenerMs: limits.listenerMs,
    };
    const port = () => (app.server.address() as AddressInfo).port;
    const strangers = new RateLimit(options.strangersPerSecond ?? STRANGERS_PER_SECOND, now);
    const workbooks =
      options.workbooks && new WorkbookPages({ ...options.workbooks, blobs, tokens, hosts, strangers, port });
    const app: ReturnType<typeof createApp> = createApp({
      parts,
      docs: options.docs,
      studio: options.studio,
      workbooks,
      access: {
        rate: new RateLimit(options.perSecond ?? PER_SECOND, now),
        strangers,
      },
      limits,
      onFault,
    });
    const calls = new CallsUnderWay(app.server);
    const elsewhere = [limitsElsewhere, logsElsewhere];
    const inner = { app, calls, engine, upkeep, work, elsewhere, streams, scheduler, indexer, traces };
    const server: Server = new Server(parts, inner, id);
    await hub.start();
    await changes.start();
    for (const signals of elsewhere) await signals.start();
    await upkeep.start();
    for (const signals of [changes, ...elsewhere]) await signals.joined();
    await app.listen({ host: listen.host, port: listen.port });
    scheduler.start();
    indexer.start();
    return server;
  }

  get url(): string {
    const { address, port, family } = this.inner.app.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** For the worker in the same process. */
  get work(): WorkService {
    return this.inner.work;
  }

  createToken(name: string, role: Role): Promise<string> {
    return this.parts.tokens.create({ name, role }, 'the server').then(({ token }) => token);
  }

  /** Undefined if the store already has one. */
  createFirstAdmin(name: string): Promise<string | undefined> {
    return this.parts.tokens.createFirstAdmin(name, 'the server');
  }

  /** A code with which one browser can log in as this token; undefined if the token is not valid. */
  async createLoginCode(token: string): Promise<string | undefined> {
    const who = await this.parts.tokens.read(token);
    return who && (await this.parts.codes.create(who.id)).code;
  }

  /** Calls in progress may finish within this time. */
  async stop(graceMs: number): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    const { app, calls, engine, upkeep, work, elsewhere, streams, scheduler, indexer, traces } = this.inner;
    await scheduler.stop();
    work.close();
    streams.abort();
    const closed = app.close();
    await calls.ended(graceMs);
    app.server.closeAllConnections();
    await closed;
    await engine.close();
    await this.parts.audit.idle();
    await this.parts.hub.close();
    await this.parts.changes.stop();
    await indexer.stop();
    for (const signals of elsewhere) await signals.stop();
    await traces?.close();
    this.parts.metrics.close();
    await upkeep.stop();
  }
}
