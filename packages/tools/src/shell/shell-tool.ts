/**
 * Runs shell commands, each task in its own sandbox, a bounded number at once.
 *
 * Allowing shell makes the system's programs visible, read-only. The document's folder is visible only with files;
 * otherwise there is an empty folder of that name.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure, type Outcome } from '@woof/net';
import { findProgram, OutputKeeper, type SandboxExit, type SandboxSpec, spawnSandboxed } from '@woof/sandbox';
import { denied, refuseWithoutSandbox } from '../io-policy.ts';
import type { ToolOptions } from '../registry.ts';
import { settle } from '../settle.ts';
import { TaskWatch } from '../task-watch.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { defaultMaxRunning, Turnstile } from '../turnstile.ts';
import { shellSchema } from './shell-schema.ts';
import { type ShellTask, toTask } from './shell-task.ts';

/** Passes the script in a variable: every user of the machine can see a command line, and it may contain secrets. */
const BOOT = 'woof_script=$WOOF_SCRIPT; unset WOOF_SCRIPT; eval "$woof_script"';

/** Without a sandbox, a process that escaped may hold the output open. */
const CLOSE_MS = 500;

export function createShellTool(options: ToolOptions = {}): Tool {
  const turnstile = new Turnstile(options.maxRunning ?? defaultMaxRunning());
  return {
    schema: shellSchema,
    run: (call, context) =>
      settle('shell', context.signal, async () => {
        const task = await toTask(call, context);
        const refusal = refuse(task) ?? (await refuseWithoutSandbox(context));
        return refusal ?? turnstile.pass(context.signal, () => perform(task, context));
      }),
  };
}

function refuse({ policy, cwd, workdir }: ShellTask): Outcome | undefined {
  if (!policy.allow_shell) return refusal('running commands', 'shell');
  if (!policy.allow_files && cwd !== workdir) return refusal('"cwd" inside the document’s folder', 'files');
  return undefined;
}

function refusal(what: string, key: 'files' | 'shell'): Outcome {
  return failure('policy', `shell: ${what} ${denied(key)}`);
}

async function perform(task: ShellTask, context: ToolContext): Promise<Outcome> {
  if (context.signal.aborted) return settle('shell', context.signal, () => failure('cancelled', ''));
  const { child, exited, kill } = spawnSandboxed(toSpec(task, context));
  const watch = new TaskWatch(context.signal, task.timeoutSeconds, kill);
  const stdout = new OutputKeeper((text) => context.log('stdout', text));
  const stderr = new OutputKeeper((text) => context.log('stderr', text));
  child.stdout?.on('data', (chunk: Buffer) => stdout.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.write(chunk));
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  const exit = await exited;
  await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const stopped = watch.end('shell');
  const result = { returncode: toStatus(exit), stdout: stdout.end(), stderr: stderr.end() };
  return stopped ? { ...stopped, result } : { ...verdict(task, exit, result.stderr), result };
}

function toSpec(
  { script, env, policy, workdir, cwd, memoryMb }: ShellTask,
  context: ToolContext,
): SandboxSpec {
  return {
    argv: [findProgram('bash') ?? '/bin/sh', '-c', BOOT],
    env: { ...env, WOOF_SCRIPT: script },
    policy,
    workdir,
    cwd,
    isolate: context.sandbox,
    hidden: context.hidden ?? [],
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(memoryMb === undefined ? {} : { memoryMb }),
  };
}

/** As in shells: 128 plus the signal number for a death by signal; 137 is SIGKILL. */
function toStatus({ code, signal }: SandboxExit): number {
  return code ?? (signal === 'SIGTERM' ? 143 : 137);
}

function verdict({ memoryMb }: ShellTask, exit: SandboxExit, stderr: string): Outcome {
  const status = toStatus(exit);
  if (status === 0) return { status: 'ok' };
  if (exit.outOfMemory) {
    const message = `shell: a command was killed because it used more memory than spec.memory_mb (${memoryMb}); raise it`;
    return failure('exception', message, { code: 'out_of_memory' });
  }
  const complaint = stderr.trim().split('\n').at(-1)?.slice(0, 500);
  const hint = status === 127 ? ' (the command does not exist)' : '';
  const message = `shell: exit code ${status}${hint}${complaint ? `: ${complaint}` : ''}`;
  return failure('exception', message, { code: status });
}
