/**
 * `woof run` beside the server of its data directory: the server does the run if the result is the same there.
 *
 * Workers use a separate folder for each run, and the environment of the server. A server finds nested playbooks in its
 * catalogue. So a document that could need its own folder, or something from this terminal, runs here.
 */
import { basename } from 'node:path';
import type { Client } from '@woof/client';
import { workloadFault } from '@woof/engine';
import { encodeJson, type JsonObject, type Plan, type Task } from '@woof/net';
import { BODY_LIMITS, bodyFault, ROUTES } from '@woof/protocol';
import type { BodyOf } from '@woof/protocol/http';
import { definitionsOf, toolSchemas } from '@woof/tools';
import type { ReadPlan } from '../read-plan.ts';
import { connect } from './connect.ts';
import { folderServer } from './folder-server.ts';
import { startRun } from './start-run.ts';
import { told } from './wait-for-end.ts';

export interface HandedRun {
  folder: string;
  read: ReadPlan;
  plan: Plan;
  workload: JsonObject;
  granted: Record<string, boolean> | undefined;
}

export interface HandOverFlags {
  json?: true;
  quiet?: true;
  set?: string[];
  cell?: string[];
  limit?: string[];
  install?: true;
  'no-cache'?: true;
  'no-sandbox'?: true;
}

/** Long enough for a restart. */
const GIVE_UP_MS = 5000;

/** The exit code; undefined: the run must be done here. */
export async function handOver(run: HandedRun, flags: HandOverFlags): Promise<number | undefined> {
  const client = clientOf(run.folder);
  const body = bodyOf(run, flags);
  const why = whyHere(run, flags) ?? whyTooLarge(body, run.workload) ?? (await whyNotThere(client));
  if (why === undefined) return start(client!, run, body, flags);
  if (!flags.quiet)
    process.stderr.write(`running in this process, not on the server of ${run.folder}: ${why}\n`);
  return undefined;
}

function clientOf(folder: string): Client | undefined {
  const note = folderServer(folder);
  return note && connect({ server: note.url, data: folder });
}

async function start(
  client: Client,
  { read }: HandedRun,
  body: BodyOf<'executions.start'>,
  flags: HandOverFlags,
): Promise<number> {
  const { file } = read.source;
  const started = await startRun(client, body);
  if ('status' in started) return started.status;
  const patience = { giveUpMs: GIVE_UP_MS };
  return told(client, started.id, { ...flags, wait: true }, { file, patience, isHanded: true });
}

function bodyOf({ read, workload, granted }: HandedRun, flags: HandOverFlags): BodyOf<'executions.start'> {
  return {
    text: read.text,
    file: basename(read.source.file),
    ...(flags.set?.length ? { payload: workload } : {}),
    ...(granted ? { allow: granted } : {}),
  };
}

function whyTooLarge(body: BodyOf<'executions.start'>, workload: JsonObject): string | undefined {
  const { length } = body.text ?? '';
  if (length > BODY_LIMITS.text)
    return `the document has ${length} characters, and a server accepts ${BODY_LIMITS.text}`;
  return bodyFault(encodeJson(body), ROUTES['executions.start']) ?? workloadFault(workload);
}

async function whyNotThere(client: Client | undefined): Promise<string | undefined> {
  if (client === undefined) return 'the address of the server is not known yet';
  try {
    const { workers } = await client.call('workers.list');
    return workers.some(({ alive, draining }) => alive && !draining)
      ? undefined
      : 'the server has no worker that is taking jobs';
  } catch (error) {
    return (error as Error).message;
  }
}

const LOCAL_FLAGS = ['cell', 'install', 'limit', 'no-cache', 'no-sandbox'] as const;

function whyHere({ plan, granted }: HandedRun, flags: HandOverFlags): string | undefined {
  const flag = LOCAL_FLAGS.find((name) => flags[name] !== undefined);
  if (flag) return `--${flag} applies only to a run in this process`;
  if (plan.kind !== 'playbook') return `a ${plan.kind} may use files in its folder`;
  if (plan.keychain.length > 0) return 'its secrets are on this machine';
  if (granted?.allow_files || granted?.allow_shell)
    return '--allow files and --allow shell apply to this folder';
  if (definitionsOf(plan).length > 0) return 'its results may be stored in its folder';
  for (const step of plan.steps) {
    if (step.labels) return `step "${step.name}" requires worker labels`;
    const task = step.tasks.find(isAtHome);
    if (task)
      return `step "${step.name}" (kind ${task.kind}) may need the folder of the document or this terminal`;
  }
  return undefined;
}

function isAtHome({ kind, input, spec }: Task): boolean {
  const { allow_files: files, allow_shell: shell } = (spec.io_policy ?? {}) as JsonObject;
  const isAnywhere = toolSchemas.find((schema) => schema.kind === kind)?.anywhere === true;
  return !isAnywhere || input.script !== undefined || Boolean(files) || Boolean(shell);
}
