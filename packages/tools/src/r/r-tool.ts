/** Runs R code, each task in its own kernel, a bounded number at once. Owns: the meaning of a task's end. */
import { type CellError, type CellOutput, type Kernel, startKernel } from '@woof/kernels';
import { encodeJson, failure, type Outcome, sizeFailure } from '@woof/net';
import { denied, refuseWithoutSandbox } from '../io-policy.ts';
import type { ToolOptions } from '../registry.ts';
import { settle } from '../settle.ts';
import { TaskWatch } from '../task-watch.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { defaultMaxRunning, Turnstile } from '../turnstile.ts';
import { GIVEN, POSTLUDE, PRELUDE } from './r-code.ts';
import { rSchema } from './r-schema.ts';
import { type RTask, toTask } from './r-task.ts';

const MAX_RESULT_BYTES = 64 * 1024 * 1024;

export function createRTool(options: ToolOptions = {}): Tool {
  const turnstile = new Turnstile(options.maxRunning ?? defaultMaxRunning());
  return {
    schema: rSchema,
    run: (call, context) =>
      settle('r', context.signal, async () => {
        const task = await toTask(call, context);
        const refusal = await refuseWithoutSandbox(context);
        return refusal ?? turnstile.pass(context.signal, () => perform(task, context));
      }),
  };
}

async function perform(task: RTask, context: ToolContext): Promise<Outcome> {
  if (context.signal.aborted) return settle('r', context.signal, () => failure('cancelled', ''));
  const kernel = await start(task, context);
  const watch = new TaskWatch(context.signal, task.timeoutSeconds, () => void kernel.close());
  try {
    const outcome = await settle('r', NEVER, () => runIn(kernel, task, context));
    return watch.end('r') ?? outcome;
  } finally {
    await kernel.close();
  }
}

const NEVER = new AbortController().signal;

function start({ policy, workdir, env, memoryMb }: RTask, context: ToolContext): Promise<Kernel> {
  return startKernel({
    ...{ language: 'r', workdir, policy, env, parameters: {}, denials: DENIALS },
    sandbox: context.sandbox,
    hidden: context.hidden ?? [],
    ...(memoryMb === undefined ? {} : { memoryMb }),
  });
}

async function runIn(kernel: Kernel, task: RTask, context: ToolContext): Promise<Outcome> {
  await kernel.bind('args', task.args);
  await kernel.bind('input_data', task.args.input_data === undefined ? task.args : task.args.input_data);
  if (task.context) await kernel.bind('context', task.context);
  const printed = { stdout: '', stderr: '' };
  const run = (code: string) => {
    const cell = { id: task.name, code, declared: task.policy, signal: NEVER };
    return kernel.run(cell, { output: (output) => take(output, printed, context) });
  };
  const blank = '\n'.repeat(task.code.split('\n').length);
  let end = await run(PRELUDE);
  for (const code of [task.code, blank + POSTLUDE]) if (!end.error) end = await run(code);
  if (!end.error) return resultOf(kernel, printed);
  return end.status === 'error' ? exception(end.error, task, context) : death(end.error, task, end.transient);
}

/** Prints visible values, as `Rscript` does. */
function take(output: CellOutput, printed: { stdout: string; stderr: string }, context: ToolContext): void {
  if (output.output_type === 'error') return;
  const isStream = output.output_type === 'stream';
  const shown = isStream ? output.text : output.data['text/plain'];
  if (typeof shown !== 'string') return;
  const name = isStream ? output.name : 'stdout';
  const text = isStream ? shown : `${shown}\n`;
  printed[name] += text;
  context.log(name, text);
}

async function resultOf(kernel: Kernel, printed: { stdout: string; stderr: string }): Promise<Outcome> {
  if ((await kernel.read(GIVEN)) !== true) return { status: 'ok', result: printed };
  const result = await kernel.read('result');
  if (result === undefined)
    return failure('schema', 'r: the result is not JSON: return lists, vectors, data frames or NULL');
  const size = encodeJson(result).length;
  if (size <= MAX_RESULT_BYTES) return { status: 'ok', result };
  return sizeFailure(
    `r: the result is ${size} bytes as JSON, and the limit is ${MAX_RESULT_BYTES}; return less, or write a file and return its name`,
  );
}

function exception({ ename, evalue, traceback }: CellError, task: RTask, context: ToolContext): Outcome {
  const last = task.code.split('\n').length;
  const lineOf = (frame: string) => Number(/^<.*?>:(\d+): /.exec(frame)?.[1] ?? Number.NaN);
  // Lines after the code are those that call `main`.
  const frames = traceback.filter((frame) => !(lineOf(frame) > last));
  const line = frames.map(lineOf).findLast((each) => !Number.isNaN(each)) ?? null;
  const text = frames.join('\n');
  context.log('stderr', `${text}\n`);
  const details = { traceback: text, line };
  const isDenied = ename === 'PolicyError';
  const what = isDenied ? evalue : `${ename}: ${evalue}`;
  return failure(isDenied ? 'policy' : 'exception', what, { exception_type: ename, details });
}

const DENIALS = {
  files: denied('files'),
  network: denied('network'),
  shell: denied('shell'),
  outside: "is not allowed: spec.io_policy.allow_files allows only files in the document's folder",
};

function death({ evalue }: CellError, { memoryMb }: RTask, retryable: boolean): Outcome {
  if (memoryMb !== undefined && evalue.includes('out of memory')) {
    const message = `r: the task was killed because it used more memory than spec.memory_mb (${memoryMb}); raise it`;
    return failure('exception', message, { code: 'out_of_memory', retryable: false });
  }
  const message = `r: ${evalue.replace(/^the r kernel/, 'the process')}`;
  return failure('exception', message, { code: 'process_died', retryable });
}
