/**
 * Runs Python code in a warm sandbox. Owns: the pool and how many tasks run at once. The timeout and the signal end the
 * whole sandbox; the next task gets a new one.
 */
import { encodeJson, failure, type Outcome } from '@woof/net';
import { findInterpreter, type Interpreter, OutputKeeper } from '@woof/sandbox';
import { refuseWithoutSandbox } from '../io-policy.ts';
import type { ToolOptions } from '../registry.ts';
import { settle } from '../settle.ts';
import { TaskWatch } from '../task-watch.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { defaultMaxRunning, Turnstile } from '../turnstile.ts';
import { explainMissing } from './missing-argument.ts';
import { standardModules } from './python-modules.ts';
import { toOutcome } from './python-outcome.ts';
import { PythonPool } from './python-pool.ts';
import { pythonSchema } from './python-schema.ts';
import { type PythonTask, toTask } from './python-task.ts';
import type { WorkerSetting } from './python-worker.ts';

const MAX_RESULT_BYTES = 64 * 1024 * 1024;

export function createPythonTool(options: ToolOptions = {}): Tool {
  const turnstile = new Turnstile(options.maxRunning ?? defaultMaxRunning());
  const pool = new PythonPool(turnstile.limit);
  return {
    schema: pythonSchema,
    run: (call, context) =>
      settle('python', context.signal, async () => {
        const task = await toTask(call, context);
        // Both start a process the first time, so running them in parallel halves the time.
        const [refusal, interpreter] = await Promise.all([
          refuseWithoutSandbox(context),
          findInterpreter(options.python),
        ]);
        if (refusal) return refusal;
        const outcome = await turnstile.pass(context.signal, () => perform(task, context, pool, interpreter));
        return explainMissing(outcome, call);
      }),
    close: () => pool.close(),
  };
}

async function perform(
  task: PythonTask,
  context: ToolContext,
  pool: PythonPool,
  interpreter: Interpreter,
): Promise<Outcome> {
  const setting = toSetting(task, context.sandbox, interpreter);
  if (context.signal.aborted) return settle('python', context.signal, () => failure('cancelled', ''));
  const worker = await pool.take(setting);
  const watch = new TaskWatch(context.signal, task.timeoutSeconds, () => worker.kill());
  const kept = {
    stdout: new OutputKeeper((text) => context.log('stdout', text)),
    stderr: new OutputKeeper((text) => context.log('stderr', text)),
  };
  const end = await worker.run(toPayload(task, worker.tmp), {
    onOutput: (stream, chunk) => kept[stream].write(chunk),
    maxAnswerBytes: MAX_RESULT_BYTES + 1024 * 1024,
  });
  // The kernel's count of such kills stays with the sandbox and would be attributed to the next task.
  if (end.outOfMemory) worker.kill();
  else pool.giveBack(setting, worker);
  worker.learn(standardModules(task.code));
  const stopped = watch.end('python');
  const [stdout, stderr] = [kept.stdout.end(), kept.stderr.end()];
  if (stopped) return stopped;
  const { complaint } = worker;
  const memory = task.memoryMb === undefined ? {} : { memoryMb: task.memoryMb };
  const outcome = toOutcome({ end, stdout, stderr, complaint, maxResultBytes: MAX_RESULT_BYTES, ...memory });
  const traceback = outcome.error?.details?.traceback;
  if (typeof traceback === 'string') context.log('stderr', traceback);
  return outcome;
}

function toSetting(task: PythonTask, isolate: boolean, { executable, folders }: Interpreter): WorkerSetting {
  return {
    executable,
    policy: task.policy,
    workdir: task.workdir,
    hidden: task.hidden,
    isolate,
    readOnly: folders,
    ...(task.memoryMb === undefined ? {} : { memoryMb: task.memoryMb }),
  };
}

function toPayload({ hidden, env, ...task }: PythonTask, tmp: string): string {
  const places = { TMPDIR: tmp, HOME: tmp };
  const max_result_bytes = MAX_RESULT_BYTES;
  return encodeJson({ ...task, env: { ...places, ...env }, hidden, tmp, max_result_bytes });
}
