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
import type { Passed } from './policy-gate.ts';
import type { Redactor } from './redactor.ts';
import { repoSnapshot } from './repo-snapshot.ts';
import type { StageFile } from './stage-files.ts';

/** One try of a block, with all that it is about. */
export interface Work {
  block: ExecBlock;
  call: ToolCall;
  context: ToolContext;
  passed: Passed;
  runner: ExecRunner;
  options: ToolOptions;
}

/** What is always known about a try, before its commands run. */
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

export function manifestOf(
  { block, call, context, passed }: Work,
  attempt: Attempt,
  workdir: string,
  end: RunnerEnd,
  failed: Failed | undefined,
  outputs: StageFile[],
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
    extra_files: ['meta/env.json', 'meta/repo.txt', ...(end.extraFiles ?? [])],
    started_at_ms: attempt.intent.started_at_ms,
    finished_at_ms: context.now(),
    status: failed ? 'failed' : 'succeeded',
    commands: attempt.results as unknown as JsonObject[],
    error: failed?.outcome.error?.message ?? null,
    attempt: call.attempt,
    fence: call.fence,
    block_sha256: attempt.intent.block_sha256,
    policy: passed.judgement as unknown as JsonObject,
    override: passed.override ?? null,
    outputs,
    earlier_bundles: earlier,
    ...(context.signal.aborted ? { interrupted: true } : {}),
    ...end.manifest,
  };
}
