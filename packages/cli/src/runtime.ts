/** The composition root of a process that runs things: store, engine, worker and tools in one. */
import { join } from 'node:path';
import { Engine, type EngineOptions, leaveRuns } from '@woof/engine';
import type { LogEntry } from '@woof/stores';
import {
  FileLogSink,
  Keychains,
  ResultStores,
  type RunSetting,
  type SecretSources,
  Worker,
} from '@woof/worker';
import { createCellRunner } from './cell-runner.ts';
import { lockData, openLocked, runsOf, type WritableData } from './data-directory.ts';
import { becomeDriver } from './drivers/drivers.ts';
import { PlaybookFinder } from './find-playbook.ts';
import { optimizeLater } from './optimize-later.ts';
import { type ReadPlan, readPlan } from './read-plan.ts';
import { collectDaily } from './retention/collect-daily.ts';
import { rulesOf } from './rules-of.ts';
import { localSources } from './secrets/local-sources.ts';
import { warnShort } from './secrets/warn-short.ts';
import { makeTools } from './tool-kinds.ts';
import { UserError } from './user-error.ts';

/** Tasks mostly wait; those that compute (Python, shell) are limited by their own pool. */
const SLOTS = 512;

export interface RuntimeOptions {
  data?: string | undefined;
  sandbox: boolean;
  /** False: cells run even if the cache has their result. */
  cache?: boolean;
  limits?: EngineOptions['limits'];
  /** The notebook that will run: its first kernel starts while the store is opened. */
  foreseen?: RunSetting | undefined;
  onEvents?: EngineOptions['onEvents'];
  onLog?: (line: LogEntry, executionId: string) => void;
}

export interface Runtime {
  data: WritableData;
  /** The name of this process in the rows of its runs. */
  driver: string;
  /** The runs that it took over, with their previous drivers. */
  claimed: Map<string, string | null>;
  engine: Engine;
  /** The secrets of the runs of this process, and where they come from. */
  keychains: Keychains;
  sources: SecretSources;
  /** Leaves unfinished work so that `woof resume` can continue it. */
  close(): Promise<void>;
}

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const locked = lockData(options.data);
  const driver = becomeDriver(locked.path);
  const claimed: Runtime['claimed'] = new Map();
  const cells = createCellRunner(locked, options);
  if (options.foreseen) await cells.foresee(options.foreseen);
  const data = openLocked(locked);
  const id = `local-${process.pid}`;
  const sources = localSources(data);
  const keychains = new Keychains({ sources: () => sources, onShort: warnShort });
  const worker: Worker = new Worker({
    id,
    slots: SLOTS,
    tools: makeTools({ runs: runsOf(data), worker: id, rules: rulesOf(data.path) }),
    blobs: data.blobs,
    logs: new FileLogSink(data.logs, options.onLog),
    sandbox: options.sandbox,
    hidden: [data.path],
    cells,
    onAside: () => engine.slotFreed(),
    keychains,
    resultStores: new ResultStores(join(data.path, 'result-cache')),
    ...(options.limits?.value_bytes ? { valueBytes: options.limits.value_bytes } : {}),
    onFree: () => engine.slotFreed(),
  });
  const playbooks = new PlaybookFinder();
  const onCommit = optimizeLater();
  const engine: Engine = new Engine({
    store: data.store,
    blobs: data.blobs,
    executor: worker,
    owner: driver.id,
    resolve: async (path, from) => readNested(path, from, { data: data.path, playbooks }),
    ...(options.limits ? { limits: options.limits } : {}),
    ...(options.onEvents ? { onEvents: options.onEvents } : {}),
    ...(onCommit ? { onCommit } : {}),
  });
  const close = async () => {
    await leaveRuns({ engine, worker, store: data.store, driver: driver.id, claimed });
    // A directory that cannot be cleaned up is no reason to fail a finished run.
    await collectDaily(data).catch(() => undefined);
    driver.release();
    await data.close();
  };
  return { data, driver: driver.id, claimed, engine, keychains, sources, close };
}

interface Places {
  data: string;
  playbooks: PlaybookFinder;
}

async function readNested(
  path: string,
  from: Record<string, string>,
  places: Places,
): ReturnType<NonNullable<EngineOptions['resolve']>> {
  const read = readOr(path, from, places);
  if ('message' in read) return read;
  const root = from.root ?? from.folder ?? '.';
  if (read.plan) return { plan: read.plan, source: { ...read.source, root }, text: read.text };
  const first = read.diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  const place = first
    ? `${read.source.file}:${first.line}:${first.column}: ${first.message}`
    : 'it cannot be read';
  return { message: `nested playbook ${path}: ${place}` };
}

/** A file that cannot be read fails the caller's task, not this process. */
function readOr(
  path: string,
  from: Record<string, string>,
  { data, playbooks }: Places,
): ReadPlan | { message: string } {
  try {
    const { folder = '.', root = folder } = from;
    const file = playbooks.find(path, folder, root);
    return readPlan(file, folder, { upgrade: from.upgrade === 'yes', data });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { message: `nested playbook: ${error.message}${error.fix ? `; ${error.fix}` : ''}` };
  }
}
