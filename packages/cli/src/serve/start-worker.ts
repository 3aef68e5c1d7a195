/** Starts a worker: for a server elsewhere, over HTTP, or for the one in this process. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type NearWorkApi, PROTOCOL_VERSION, type WorkApi } from '@woof/protocol';
import type { BlobStore } from '@woof/stores';
import {
  ExecutionFolders,
  Keychains,
  RemoteLimits,
  RemoteLogSink,
  RemoteWorker,
  ResultStores,
  remoteSecrets,
  Worker,
} from '@woof/worker';
import { createCellRunner } from '../cell-runner.ts';
import { type DataDirectory, runsOf } from '../data-directory.ts';
import { collectWhileUp } from '../retention/collect-daily.ts';
import { rulesOf } from '../rules-of.ts';
import { warnShort } from '../secrets/warn-short.ts';
import { makeTools } from '../tool-kinds.ts';
import { UserError } from '../user-error.ts';

declare const WOOF_VERSION: string;

export const WORKER_OPTIONS = {
  slots: { doc: 'number of jobs to run at the same time (default: 64)', value: 'N' },
  labels: {
    doc: 'labels of this worker, which steps can require; comma-separated, repeatable',
    value: 'KEY=VALUE',
    many: true,
  },
  name: { doc: "first part of the worker's name in lists (default: the host name)", value: 'NAME' },
  'no-sandbox': { doc: 'run code without a sandbox' },
} as const;

export interface WorkerFlags {
  slots?: string;
  labels?: string[];
  name?: string;
  'no-sandbox'?: true;
}

export interface WorkerHome {
  api: WorkApi;
  /** Present if the server is in this process. */
  took?: NearWorkApi['took'];
  blobs: BlobStore;
  data: DataDirectory;
  onFatal: (error: unknown) => void;
  /** Called when it was asked to drain and has no jobs left. */
  onDrained?: () => void;
  /** The largest stored value that a task may read. */
  valueBytes?: number | undefined;
}

export function startWorker(flags: WorkerFlags, home: WorkerHome): RemoteWorker {
  const { api, took, blobs, data, onFatal, onDrained, valueBytes } = home;
  const id = `${nameOf(flags.name)}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const slots = slotsOf(flags.slots);
  const tools = makeTools({ runs: runsOf(data), worker: id, rules: rulesOf(data.path) });
  const sandbox = !flags['no-sandbox'];
  const logs = new RemoteLogSink(api);
  const worker: Worker = new Worker({
    id,
    slots,
    tools,
    blobs,
    sandbox,
    logs,
    // The code of an execution sees its own folder, which contains nothing of Woof's.
    hidden: [],
    cells: createCellRunner(data, { sandbox, hidden: [], carriesOutputs: true }),
    limits: new RemoteLimits(api, id),
    onAside: () => remote.roomMade(),
    keychains: new Keychains({ sources: remoteSecrets(api, id), onShort: warnShort }),
    resultStores: new ResultStores(join(data.path, 'result-cache')),
    ...(valueBytes ? { valueBytes } : {}),
    onFree: (executionId) => remote.jobEnded(executionId),
  });
  const info = {
    worker: id,
    protocol: PROTOCOL_VERSION,
    version: WOOF_VERSION,
    slots,
    labels: labelsOf(flags.labels ?? []),
    kinds: [...tools.keys(), 'cell'],
  };
  const folders = new ExecutionFolders(join(data.path, 'workers', id));
  const say = (line: string) => console.error(`woof worker: ${line}`);
  const remote: RemoteWorker = new RemoteWorker({
    api,
    worker,
    info,
    blobs,
    folders,
    say,
    logged: () => logs.upToNow(),
    onFatal,
    ...(onDrained ? { onDrained } : {}),
    valueBytes,
    took,
  });
  remote.start();
  // Cleaning up is optional: if it fails, the worker continues.
  collectWhileUp(data, () => undefined);
  return remote;
}

function nameOf(name = hostname()): string {
  return name.replaceAll(/[^\w.-]/g, '-').slice(0, 100) || 'worker';
}

function slotsOf(text = '64'): number {
  const slots = Number(text);
  if (Number.isInteger(slots) && slots > 0 && slots <= 10_000) return slots;
  throw new UserError(`--slots ${text}: expected a whole number from 1 to 10000`, 'for example --slots 8', 2);
}

function labelsOf(texts: readonly string[]): Record<string, string> {
  const pairs = texts.flatMap((text) => text.split(',')).map((pair) => /^([^=]+)=(.*)$/.exec(pair.trim()));
  if (pairs.includes(null))
    throw new UserError(`--labels ${texts.join(' ')}: expected KEY=VALUE`, 'for example --labels gpu=yes', 2);
  return Object.fromEntries(pairs.map((match) => [match![1]!, match![2]!]));
}
