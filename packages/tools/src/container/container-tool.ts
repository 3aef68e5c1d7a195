/**
 * Runs a program from an image, a bounded number at once. Each task gets its own container, which is removed at the
 * end.
 *
 * The container may do what `io_policy` allows: with files it sees the document's folder, with network it has a
 * network. Its root is read-only, without capabilities. Variables never appear on a command line.
 */
import { once } from 'node:events';
import { failure, type Outcome } from '@woof/net';
import {
  findContainerEngine,
  OutputKeeper,
  runContained,
  type SandboxExit,
  type SandboxedProcess,
} from '@woof/sandbox';
import { denied } from '../io-policy.ts';
import type { ToolOptions } from '../registry.ts';
import { abortOutcome, settle } from '../settle.ts';
import { TaskWatch } from '../task-watch.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { defaultMaxRunning, Turnstile } from '../turnstile.ts';
import { containerSchema } from './container-schema.ts';
import { type ContainerTask, toTask } from './container-task.ts';

/** Exit codes of docker and podman if they could not start the program. */
const NOT_STARTED = new Set([125, 126, 127]);

export function createContainerTool(options: ToolOptions = {}): Tool {
  const turnstile = new Turnstile(options.maxRunning ?? defaultMaxRunning());
  return {
    schema: containerSchema,
    run: (call, context) =>
      settle('container', context.signal, async () => {
        const task = await toTask(call, context);
        const refusal = await refuse(task);
        return refusal ?? turnstile.pass(context.signal, () => perform(task, context));
      }),
  };
}

async function refuse({ spec }: ContainerTask): Promise<Outcome | undefined> {
  if (!spec.policy.allow_shell) return failure('policy', `container: running programs ${denied('shell')}`);
  try {
    await findContainerEngine();
    return undefined;
  } catch (error) {
    const fix = 'install podman (on Debian: apt install podman), or start the Docker daemon';
    return failure('policy', `container: ${(error as Error).message}; ${fix}`, {
      code: 'no_container_engine',
    });
  }
}

async function perform(task: ContainerTask, context: ToolContext): Promise<Outcome> {
  if (context.signal.aborted) return abortOutcome(context.signal);
  const running = await runContained(task.spec);
  const watch = new TaskWatch(context.signal, task.timeoutSeconds, running.kill);
  const { exit, stdout, stderr } = await followed(running, context);
  const stopped = watch.end('container');
  const returncode = exit.code ?? 137;
  const status = stopped || returncode !== 0 ? 'failed' : 'succeeded';
  const result = { status, returncode, image: task.spec.image, stdout, stderr };
  return stopped ? { ...stopped, result } : { ...verdict(task, exit, returncode, stderr), result };
}

async function followed({ child, exited }: SandboxedProcess, context: ToolContext) {
  const stdout = new OutputKeeper((text) => context.log('stdout', text));
  const stderr = new OutputKeeper((text) => context.log('stderr', text));
  child.stdout?.on('data', (chunk: Buffer) => stdout.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.write(chunk));
  child.stdin?.on('error', () => undefined);
  child.stdin?.end();
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  const exit = await exited;
  await closed.catch(() => undefined);
  return { exit, stdout: stdout.end(), stderr: stderr.end() };
}

function verdict({ spec }: ContainerTask, exit: SandboxExit, status: number, stderr: string): Outcome {
  if (status === 0) return { status: 'ok' };
  const complaint = stderr.trim().split('\n').at(-1)?.slice(0, 500) ?? '';
  if (exit.outOfMemory)
    return failure(
      'exception',
      `container: killed because it used more than ${spec.memoryMb} MB; raise resources.memory_mb`,
      {
        code: 'out_of_memory',
      },
    );
  if (NOT_STARTED.has(status)) return notStarted(spec.image, status, complaint);
  const said = complaint === '' ? '' : `: ${complaint}`;
  return failure('exception', `container: exit code ${status}${said}`, { code: status });
}

/** 125 is the engine's own failure. 126 and 127 may also come from the program itself. */
function notStarted(image: string, status: number, complaint: string): Outcome {
  const isAbsent = /no such image|not known|not found|manifest unknown|unable to find/i.test(complaint);
  if (status === 125) {
    const isAway = /timeout|no such host|connection|network|dial tcp/i.test(complaint) && !isAbsent;
    const kind = isAway ? 'connection' : isAbsent ? 'not_found' : 'exception';
    return failure(kind, `container: ${image} cannot be started: ${complaint}`, { code: status });
  }
  const hint = status === 127 ? ' (the program does not exist)' : ' (the program cannot be executed)';
  return failure('exception', `container: exit code ${status}${hint}: ${complaint}`, { code: status });
}
