/** What a bundle says about itself: `meta/` before the commands run, the manifest after them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import type { ToolOptions } from '../registry.ts';
import type { ToolCall, ToolContext } from '../tool.ts';
import type { Attempt } from './attempt.ts';
import type { Failed } from './block-failure.ts';
import type { EarlierBundle } from './earlier-bundles.ts';
import type { ExecBlock } from './exec-block.ts';
import type { ExecRunner, RunnerEnd } from './exec-runner.ts';
import type { Passed } from './pass-rules.ts';
import type { Redactor } from './redactor.ts';
import { repoSnapshot } from './repo-snapshot.ts';
import type { StageFile } from './stage-files.ts';

/** One try of a block, with its context. */
export interface Work {
  block: ExecBlock;
  call: ToolCall;
  context: ToolContext;
  passed: Passed;
  runner: ExecRunner;
  options: ToolOptions;
}

const META = ['meta/env.json', 'meta/repo.txt'];

/** What is known about a try before its commands run. */
export async function writeMeta(
  { block, call, options }: Work,
  attempt: Attempt,
  workdir: string,
  redactor: Redactor,
): Promise<void> {
  const meta = join(attempt.folder, 'meta');
  await mkdir(meta, { recursive: true });
  const { kind, ...rest } = block.executor;
  const env = redactor.value({
    agent_id: options.worker ?? '',
    run_id: call.executionId,
    stage_id: call.step,
    workdir,
    executor: kind,
    executor_options: rest,
    started_at_ms: attempt.intent.started_at_ms,
    env_names: Object.keys(block.env),
  });
  await writeFile(join(meta, 'env.json'), `${JSON.stringify(env, null, 2)}\n`);
  await writeFile(join(meta, 'repo.txt'), redactor.text(await repoSnapshot(workdir)));
}

/** The manifest before the outcome is known. */
export function draftOf(
  { block, call, passed }: Work,
  attempt: Attempt,
  workdir: string,
  earlier: EarlierBundle[],
): JsonObject {
  const { kind, ...rest } = block.executor;
  return {
    run_id: call.executionId,
    stage_id: call.step,
    bundle_root: attempt.bundle,
    workdir,
    executor: kind,
    executor_options: rest,
    slurm_job_id: null,
    extra_files: [...META],
    started_at_ms: attempt.intent.started_at_ms,
    finished_at_ms: null,
    status: 'running',
    commands: attempt.results as unknown as JsonObject[],
    error: null,
    attempt: call.attempt,
    fence: call.fence,
    block_sha256: attempt.intent.block_sha256,
    policy: passed.judgement as unknown as JsonObject,
    override: passed.override ?? null,
    outputs: [],
    earlier_bundles: earlier,
  };
}

export function manifestOf(
  work: Work,
  attempt: Attempt,
  workdir: string,
  end: RunnerEnd,
  failed: Failed | undefined,
  outputs: StageFile[],
  earlier: EarlierBundle[],
): JsonObject {
  const { context } = work;
  return {
    ...draftOf(work, attempt, workdir, earlier),
    extra_files: [...META, ...(end.extraFiles ?? [])],
    finished_at_ms: context.now(),
    status: failed ? 'failed' : 'succeeded',
    error: failed?.outcome.error?.message ?? null,
    outputs,
    ...(context.signal.aborted ? { interrupted: true } : {}),
    ...end.manifest,
  };
}
