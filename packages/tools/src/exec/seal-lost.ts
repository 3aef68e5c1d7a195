/** Makes a bundle of what a dead process left: it is all the evidence there is. */
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { OPEN_SUFFIX } from './bundle-names.ts';
import { readDraft, type UnderWay } from './draft-manifest.ts';
import type { CommandResult } from './exec-runner.ts';
import { type Intent, readResults } from './partial.ts';
import { sealFolder } from './seal-folder.ts';

export async function sealLost(
  folder: string,
  intent: Intent,
  place: { executionId: string; stage: string },
  error = 'the process that ran the block ended before the block finished',
): Promise<void> {
  const bundle = folder.slice(0, -OPEN_SUFFIX.length);
  const draft = (await readDraft(folder)) ?? unknownOf(intent, place);
  const finished = await lastSign(folder, intent.started_at_ms);
  const manifest: JsonObject = {
    ...draft,
    bundle_root: bundle,
    extra_files: await extraFiles(folder),
    finished_at_ms: finished,
    status: 'failed',
    commands: (await commandsOf(folder, draft, finished)) as unknown as JsonObject[],
    error,
    fence: intent.fence,
    interrupted: true,
  };
  await sealFolder(folder, bundle, manifest).catch(async () => {
    // It may be damaged, or the disk may be full: it is kept unchanged under a name that no attempt uses.
    await rename(folder, `${bundle}.damaged`).catch(() => undefined);
  });
}

/** The process ended before it could record more. */
function unknownOf(
  intent: Intent,
  { executionId, stage }: { executionId: string; stage: string },
): JsonObject {
  return {
    run_id: executionId,
    stage_id: stage,
    workdir: intent.workdir,
    executor: null,
    slurm_job_id: null,
    started_at_ms: intent.started_at_ms,
    attempt: intent.attempt,
    block_sha256: intent.block_sha256,
  };
}

async function commandsOf(folder: string, draft: JsonObject, finished: number): Promise<CommandResult[]> {
  const ended = (await readResults(folder)).filter(Boolean);
  const known = new Set(ended.map(({ index }) => index));
  const said = Array.isArray(draft.commands)
    ? (draft.commands as unknown as (CommandResult | UnderWay)[])
    : [];
  const cut = said.filter(({ index, status }) => status === 'running' && !known.has(index)) as UnderWay[];
  const lost = cut.map((command): CommandResult => {
    const finished_at_ms = Math.max(finished, command.started_at_ms);
    return {
      ...command,
      finished_at_ms,
      status: 'failed',
      error: 'its worker ended while the command was running',
    };
  });
  return [...ended, ...lost];
}

/** When something in it was last written, because nobody saw it end. */
async function lastSign(folder: string, started: number): Promise<number> {
  const times = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mtimeMs);
  return Math.trunc(Math.max(started, ...(await Promise.all(times))));
}

async function extraFiles(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'meta')).catch((): string[] => []);
  return names.sort().map((name) => `meta/${name}`);
}
