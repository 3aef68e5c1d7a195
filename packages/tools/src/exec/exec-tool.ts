/**
 * The `exec` kind: policy, inputs, commands, outputs, bundle.
 *
 * Owns: their order, and the contents of the outcome and the manifest. Does not own: how commands run (runners), how a
 * bundle is kept (attempt.ts).
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { encodeJson, failure, type JsonObject, type Outcome } from '@woof/net';
import { DEFAULT_RULES, type Rules } from '@woof/policy';
import { FieldFault, fault } from '../fields.ts';
import { effectivePolicy, refuseWithoutSandbox } from '../io-policy.ts';
import type { ToolOptions } from '../registry.ts';
import { abortOutcome, settle } from '../settle.ts';
import type { Parked, Tool, ToolCall, ToolContext } from '../tool.ts';
import { defaultMaxRunning, Turnstile } from '../turnstile.ts';
import { Attempt } from './attempt.ts';
import { blockFailure, type Failed } from './block-failure.ts';
import { commandEnv } from './command-env.ts';
import { earlierBundles } from './earlier-bundles.ts';
import { type ExecBlock, toBlock } from './exec-block.ts';
import type { ExecRunner, RunnerEnd, RunnerHost } from './exec-runner.ts';
import { execSchema } from './exec-schema.ts';
import { foreseeCwd, isInside, LocateFault, locateWorkdir } from './locate.ts';
import { draftOf, manifestOf, type Work, writeMeta } from './manifest.ts';
import { patternFault } from './output-files.ts';
import { passRules } from './pass-rules.ts';
import { Redactor } from './redactor.ts';
import { placeInputs, type StageFile, storeOutputs } from './stage-files.ts';

/** How often a block may be lost with its worker by default. */
const DEFAULT_TRIES = 3;

/** By `executor.kind`; loaded on first use. */
const RUNNERS: Record<string, () => Promise<ExecRunner>> = {
  local: async () => (await import('./local-runner.ts')).localRunner,
  slurm: async () => (await import('./slurm/slurm-runner.ts')).createSlurmRunner(),
};

export function createExecTool(options: ToolOptions = {}): Tool {
  const turnstile = new Turnstile(options.maxRunning ?? defaultMaxRunning());
  const runners = new Map<string, Promise<ExecRunner>>();
  const runnerOf = (kind: string): Promise<ExecRunner> => {
    const load = Object.hasOwn(RUNNERS, kind) ? RUNNERS[kind] : undefined;
    if (load === undefined) throw fault('executor.kind', `one of ${Object.keys(RUNNERS).join(', ')}`, kind);
    const known = runners.get(kind) ?? load();
    runners.set(kind, known);
    return known;
  };
  const underWay = new Set<Promise<unknown>>();
  const judgeAndRun = async (call: ToolCall, context: ToolContext): Promise<Outcome | Parked> => {
    const block = toChecked(call);
    const runner = await runnerOf(block.executor.kind);
    const withdraw = runner.announce?.(block, call.executionId, call.step);
    try {
      const rules = await readRules(options);
      if ('status' in rules) return rules;
      const passed = passRules(block, call, rules);
      if ('status' in passed) return passed;
      const work: Work = { block, call, context, passed, runner, options };
      if (runner.outlives) return await perform(work);
      return await turnstile.pass(context.signal, () => perform(work));
    } finally {
      withdraw?.();
    }
  };
  return {
    schema: execSchema,
    async run(call, context) {
      const running = settle('exec', context.signal, () => judgeAndRun(call, context));
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    /** Stopped blocks seal what they have before the process ends. */
    async close() {
      await Promise.allSettled(underWay);
      for (const runner of runners.values()) await (await runner).close?.();
    },
  };
}

/** If the rules cannot be read, nothing runs, because they may forbid it. */
async function readRules({ rules }: ToolOptions): Promise<Rules | Outcome> {
  try {
    return (await rules?.()) ?? DEFAULT_RULES;
  } catch (error) {
    return failure('policy', `exec: Woof cannot read the safety policy: ${(error as Error).message}`, {
      code: 'no_policy',
    });
  }
}

function toChecked(call: ToolCall): ExecBlock {
  const block = toBlock(call.input);
  for (const pattern of block.outputs) {
    const wrong = patternFault(pattern);
    if (wrong) throw new FieldFault(`"outputs" has ${JSON.stringify(pattern)}: ${wrong}`);
  }
  return block;
}

async function perform(work: Work): Promise<Outcome | Parked> {
  const { block, call, context, options, runner } = work;
  if (context.signal.aborted) return abortOutcome(context.signal);
  if (options.runs === undefined) return failure('schema', 'exec: this worker does not store bundles');
  // A block that outlives its worker is not retried when the worker is lost.
  const refusal =
    (runner.outlives ? undefined : tooManyTries(block, call)) ??
    (block.sandbox ? await refuseWithoutSandbox(context) : undefined);
  if (refusal) return refusal;
  try {
    const workdir = await locateWorkdir(call.workdir, block.workdir);
    if (block.sandbox && !isInside(workdir, await locateWorkdir(call.workdir, '.')))
      throw new LocateFault('"workdir" must be inside the document’s folder if the block has sandbox: true');
    return await inAttempt(work, workdir, options.runs);
  } catch (error) {
    if (error instanceof LocateFault) return failure('schema', `exec: ${error.message}`);
    return failure('storage', `exec: ${diskWords(error)}`);
  }
}

function tooManyTries(
  { max_attempts: most = DEFAULT_TRIES }: ExecBlock,
  { attempt, lost }: ToolCall,
): Outcome | undefined {
  if (lost === 0 || attempt + lost <= most) return undefined;
  const message = `exec: gave up after ${attempt + lost - 1} of ${most} attempts, ${lost} of which were lost with their worker`;
  return failure('exception', `${message}; to allow more, raise max_attempts`, { code: 'lost' });
}

async function inAttempt(work: Work, workdir: string, runs: string): Promise<Outcome> {
  const { block, call, context, runner } = work;
  const started = context.now();
  const place = { runs, executionId: call.executionId, stage: call.step };
  const block_sha256 = createHash('sha256').update(encodeJson(call.input)).digest('hex');
  const intent = { attempt: call.attempt, fence: call.fence, block_sha256, started_at_ms: started, workdir };
  const resume = block.restart === 'command';
  const redactor = new Redactor([process.env, block.env, ...block.commands.map(({ env }) => env)]);
  const redact = redactor.value.bind(redactor);
  const attempt = await Attempt.open(place, { intent, adopt: runner.outlives, resume, redact });
  try {
    const goesOn = (await runner.goesOn?.(attempt)) ?? false;
    const scene = { workdir: goesOn ? attempt.intent.workdir : workdir, runs, redactor, goesOn };
    return await evidenced(work, attempt, scene);
  } catch (error) {
    // What cannot be sealed is not evidence. On a full disk, it is also what fills the disk.
    await attempt.discard().catch(() => undefined);
    throw error;
  }
}

interface Scene {
  workdir: string;
  runs: string;
  redactor: Redactor;
  /** Commands of an earlier lease may be running, so their inputs exist and are in use. */
  goesOn: boolean;
}

async function evidenced(work: Work, attempt: Attempt, scene: Scene): Promise<Outcome> {
  const { workdir, runs, redactor, goesOn } = scene;
  const { block, context, passed } = work;
  const earlier = () => earlierBundles(dirname(attempt.folder));
  await attempt.draft(redactor.value(draftOf(work, attempt, workdir, await earlier())));
  await writeMeta(work, attempt, workdir, redactor);
  for (const warning of passed.judgement.warnings)
    context.log('stderr', `policy: ${redactor.text(warning)}\n`);
  let failed: Failed | undefined;
  let end: RunnerEnd = {};
  let outputs: StageFile[] = [];
  try {
    if (!goesOn) await placeInputs(workdir, work.call.upstream ?? {}, context.blobs);
    if (!goesOn) for (const { cwd } of block.commands) await foreseeCwd(workdir, cwd);
    end = await runCommands(work, attempt, hostOf(work, workdir, redactor));
    failed = await blockFailure(attempt, end, context.signal);
    if (end.left) {
      await attempt.leave();
      return failed?.outcome ?? abortOutcome(context.signal);
    }
    if (!failed)
      outputs = await storeOutputs(
        workdir,
        block.outputs,
        context.blobs,
        (text) => context.log('stderr', text),
        await realpath(dirname(runs)),
      );
  } catch (error) {
    if (!(error instanceof LocateFault)) throw error;
    failed = { outcome: failure('schema', `exec: ${error.message}`) };
  }
  const manifest = manifestOf(work, attempt, workdir, end, failed, outputs, await earlier());
  const digest = await attempt.seal(redactor.value(manifest));
  const result = redactor.value({
    bundle: relative(join(runs, '..'), attempt.bundle),
    bundle_sha256: digest,
    status: failed ? 'failed' : 'succeeded',
    commands: attempt.results as unknown as JsonObject[],
    outputs,
  }) as JsonObject;
  if (!failed) return { status: 'ok', result };
  return redactor.value({ ...failed.outcome, result });
}

function runCommands(
  { block, context, runner }: Work,
  attempt: Attempt,
  host: RunnerHost,
): Promise<RunnerEnd> {
  const run = () => runner.run(block, attempt, host);
  return runner.outlives && context.aside ? context.aside(run) : run();
}

function hostOf({ block, call, context }: Work, workdir: string, redactor: Redactor): RunnerHost {
  const isolated = block.sandbox && context.sandbox;
  return {
    executionId: call.executionId,
    stage: call.step,
    idempotencyKey: call.idempotencyKey,
    fence: call.fence,
    signal: context.signal,
    now: context.now,
    log: context.log,
    workdir,
    envOf: (command) => commandEnv(block, command, call, isolated),
    redactor,
    hidden: context.hidden ?? [],
    ...(isolated ? { isolation: effectivePolicy({ io_policy: block.io_policy }, context) } : {}),
  };
}

function diskWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `the disk is full (${code}), so Woof kept nothing of this attempt; free some space, then use woof rerun`;
  if (code === 'EROFS' || code === 'EACCES') return `Woof cannot write the bundle: ${message}`;
  return message;
}
