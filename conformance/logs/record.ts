/**
 * Records the logs: runs the documents with the real program and saves what its stores hold, without data of this
 * machine. `npm run record-logs`. Only missing logs are written: those of earlier versions must not change.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashPlan } from '@woof/engine';
import {
  decodeJson,
  encodeJson,
  isReference,
  type Json,
  type JsonObject,
  LOG_VERSION,
  type RawEvent,
} from '@woof/net';
import { type ExecutionRow, FileBlobs, SqliteStore } from '@woof/stores';
import { slurmReason, startSlurm } from '@woof/testkit';
import { type Running, runWoof, startWoof, temporaryFolder, until } from '../../e2e/cli/woof.ts';
import {
  folder,
  type GoldenExecution,
  goldenNames,
  readGolden,
  referencesIn,
  stateHash,
} from './golden-log.ts';

const documents = join(folder, 'documents');

interface Scene {
  cwd: string;
  woof(...args: string[]): ReturnType<typeof runWoof>;
  start(...args: string[]): Running;
  hasEvent(name: string): Promise<boolean>;
}

const run =
  (document: string, ...more: string[]) =>
  ({ woof }: Scene) =>
    woof('run', document, ...more);

/** A run that waits, at the point where it begins to wait. */
const waiting = async ({ start, hasEvent }: Scene, document = 'waits.yaml') => {
  const running = start('run', document);
  await until('the run waits', () => hasEvent('job.parked'));
  return running;
};

const killed = async (running: Running) => {
  running.child.kill('SIGKILL');
  await running.ended;
};

const SCENES: Record<string, (scene: Scene) => Promise<unknown>> = {
  playbook: run('playbook.yaml'),
  loops: run('loops.yaml'),
  retries: run('retries.yaml'),
  failed: run('failed.yaml'),
  nested: run('nested.yaml'),
  large: run('large.yaml'),
  notebook: run('notebook.woofnb'),
  workflow: run('workflow.workflow.yaml'),
  gate: run('gate.yaml'),
  approved: async ({ woof }) => {
    await woof('run', 'gate.yaml');
    await woof('approve', 'last', '--by', 'ada', '--note', 'fine');
  },
  rejected: async ({ woof }) => {
    await woof('run', 'gate.yaml');
    await woof('reject', 'last', '--by', 'ada', '--note', 'not now');
  },
  interrupted: async (scene) => killed(await waiting(scene)),
  paused: async (scene) => {
    const running = await waiting(scene);
    await scene.woof('pause', 'last');
    await killed(running);
  },
  cancelled: async (scene) => {
    const running = await waiting(scene, 'cancelled.yaml');
    await until('a token waits for the rest', () => scene.hasEvent('→ both'));
    await scene.woof('cancel', 'last', '--reason', 'enough');
    await running.ended;
  },
  rerun: async ({ woof }) => {
    await woof('run', 'rerun.yaml');
    await woof('rerun', 'last');
  },
  slurm: async ({ woof }) => {
    const reason = slurmReason();
    if (reason !== undefined) throw new Error(reason);
    const cluster = await startSlurm();
    Object.assign(process.env, cluster.env);
    await woof('run', 'slurm.workflow.yaml');
    await cluster.dispose();
  },
};

export async function recordLogs(): Promise<void> {
  for (const [name, play] of Object.entries(SCENES)) {
    if (existsSync(`${folder}${name}.jsonl`)) continue;
    const cwd = temporaryFolder(filesOf(documents));
    const woof = (...args: string[]) => runWoof(args, { cwd });
    const hasEvent = async (event: string) => (await woof('events', 'last')).stdout.includes(event);
    await play({ cwd, woof, start: (...args) => startWoof(args, { cwd }), hasEvent });
    writeFileSync(`${folder}${name}.jsonl`, await textOf(name, cwd));
  }
}

function filesOf(path: string): Record<string, string> {
  return Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}

async function textOf(name: string, cwd: string): Promise<string> {
  const store = new SqliteStore(join(cwd, '.woof', 'woof.db'));
  const blobs = new FileBlobs(join(cwd, '.woof', 'blobs'));
  const rows = (await store.executions()).reverse();
  const clean = cleaner(name, cwd, rows);
  const lines: string[] = [];
  const stored = new Map<string, JsonObject>();
  for (const row of rows) {
    const golden = await executionOf(store, row, clean);
    const { events, ...head } = golden;
    lines.push(encodeJson(head), ...events.map((event) => encodeJson(event)));
    for (const reference of referencesIn(events as unknown as Json, isReference))
      stored.set(reference.key, {
        reference: { ...reference } as JsonObject,
        text: blobs.getText(reference),
      });
  }
  await store.close();
  return `${[...lines, ...[...stored.values()].map((blob) => encodeJson(blob))].join('\n')}\n`;
}

type Clean = <T>(value: T) => T;

async function executionOf(store: SqliteStore, row: ExecutionRow, clean: Clean): Promise<GoldenExecution> {
  const plan = clean((await store.plan(row.plan_hash))!);
  const events: Partial<RawEvent>[] = [];
  for await (const frame of store.read(row.execution_id))
    for (const event of frame.events) events.push({ ...clean(event), at: START + events.length } as never);
  const renamed = replaceAll({ row: clean(row), events }, row.plan_hash, hashPlan(plan));
  const golden = { ...renamed, plan: plan as unknown as JsonObject, version: LOG_VERSION, state: '' };
  return { ...golden, state: stateHash(golden) };
}

/** 2026-01-01. */
const START = 1_767_225_600_000;
const isTime = (value: unknown) => typeof value === 'number' && value > 1_700_000_000_000 && value < 2e12;

/** Removes the names, paths and times of this machine. */
function cleaner(name: string, cwd: string, rows: readonly ExecutionRow[]): Clean {
  const names = rows.map(
    ({ execution_id: id }, index) => [id, index === 0 ? name : `${name}-${index}`] as const,
  );
  // The ids of nested runs begin with that of their caller.
  const longest = names.toSorted(([a], [b]) => b.length - a.length);
  return <T>(value: T): T => {
    let text = encodeJson(timeless(value as Json));
    for (const [id, golden] of longest) text = text.replaceAll(id, golden);
    text = text.replaceAll(cwd, '/golden');
    return decodeJson(text.replaceAll(/"local-[\w-]+"/g, '"local-golden"')) as T;
  };
}

const replaceAll = <T>(value: T, from: string, to: string): T =>
  decodeJson(encodeJson(value).replaceAll(from, to)) as T;

function timeless(value: Json, key = ''): Json {
  if (isTime(value)) return START;
  if (key === 'duration_ms') return 1;
  if (key === 'interpreter') return 'python3';
  if (typeof value === 'string')
    return value.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00.000Z');
  if (Array.isArray(value)) return value.map((item) => timeless(item));
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, timeless(item as Json, name)]),
  );
}

/**
 * For a change to the contents of a state: only the hashes are written again. Check that nothing else could have
 * changed them.
 */
export function recordHashes(): void {
  for (const name of goldenNames()) {
    const file = `${folder}${name}.jsonl`;
    const text = readGolden(name).executions.reduce(
      (written, golden) => written.replace(golden.state, stateHash(golden)),
      readFileSync(file, 'utf8'),
    );
    writeFileSync(file, text);
  }
}
