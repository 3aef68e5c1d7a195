/**
 * Runs commands on this machine, one after another, each with its whole process tree under control.
 *
 * Invariant: memory does not grow with output. Output is written to its file chunk by chunk, and a command waits if its
 * file cannot keep up. The log view gets a bounded part.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OutcomeError } from '@woof/net';
import { killMarked, type SandboxExit, spawnSandboxed, startDeathGuard } from '@woof/sandbox';
import { TaskWatch } from '../task-watch.ts';
import type { Attempt } from './attempt.ts';
import type { ExecBlock, ExecCommand } from './exec-block.ts';
import {
  type CommandResult,
  type ExecRunner,
  isFailure,
  logFiles,
  type RunnerEnd,
  type RunnerHost,
  skipped,
} from './exec-runner.ts';
import { LocateFault, locateCwd, locateProgram } from './locate.ts';

/** Per stream, for the log view. The file contains everything. */
const SHOWN_BYTES = 10 * 1024 * 1024;
/** Set in the environment of a command and everything that it starts. */
const MARK = 'WOOF_COMMAND_ID';
/** The prefix of all marks of this process. */
const OWN = randomUUID();
let guarded = false;
/** A process that escaped may hold the output open without writing. */
const IDLE_MS = 500;

export const localRunner: ExecRunner = { outlives: false, run };

async function run(block: ExecBlock, attempt: Attempt, host: RunnerHost): Promise<RunnerEnd> {
  let halted: string | undefined;
  for (const [index, command] of block.commands.entries()) {
    if (attempt.results[index]) continue;
    if (host.signal.aborted) halted = 'the block was stopped';
    if (halted !== undefined) {
      await attempt.record(skipped(command, index, host.now(), halted));
      continue;
    }
    const { result, disk } = await runCommand(command, index, attempt, host);
    await attempt.record(result);
    if (disk) return { fault: { kind: 'storage', message: disk, retryable: true } };
    if (block.halt_on_error && isFailure(result)) halted = `command ${index} (${command.program}) failed`;
  }
  return {};
}

async function runCommand(
  command: ExecCommand,
  index: number,
  attempt: Attempt,
  host: RunnerHost,
): Promise<{ result: CommandResult; disk?: string }> {
  const started = host.now();
  const files = logFiles(index);
  const paths = { stdout_path: files.stdout, stderr_path: files.stderr };
  await attempt.begun({ ...skipped(command, index, started, ''), ...paths });
  const stdout = new LogFile(join(attempt.folder, files.stdout), 'stdout', host);
  const stderr = new LogFile(join(attempt.folder, files.stderr), 'stderr', host);
  const ended = await performCommand(command, host, stdout, stderr);
  const disk = stdout.fault ?? stderr.fault;
  const result: CommandResult = {
    ...skipped(command, index, started, ''),
    finished_at_ms: host.now(),
    ...ended,
    ...(disk ? { status: 'failed', error: disk } : {}),
    ...paths,
  };
  return disk ? { result, disk } : { result };
}

/** A process that is not isolated would outlive a killed worker. */
function newMark(isolated: boolean): string {
  if (!isolated && !guarded) startDeathGuard(`${MARK}=${OWN}`);
  guarded ||= !isolated;
  return `${OWN}.${randomUUID()}`;
}

type Ended = Pick<CommandResult, 'exit_code' | 'status' | 'error'>;

async function performCommand(
  command: ExecCommand,
  host: RunnerHost,
  stdout: LogFile,
  stderr: LogFile,
): Promise<Ended> {
  try {
    await stdout.open();
    await stderr.open();
    const mark = newMark(host.isolation !== undefined);
    const env: Record<string, string> = { ...host.envOf(command), [MARK]: mark };
    const cwd = await locateCwd(host.workdir, command.cwd);
    if (host.isolation?.allow_files === false && cwd !== host.workdir)
      throw new LocateFault('"cwd" of a sandboxed command needs io_policy.allow_files: true');
    const program = await locateProgram(command.program, cwd, env.PATH);
    const { child, exited, kill, contained } = spawnSandboxed({
      argv: [program, ...command.args],
      env,
      cwd,
      workdir: host.workdir,
      policy: host.isolation ?? { allow_files: true, allow_network: true, allow_shell: true },
      isolate: host.isolation !== undefined,
      hidden: host.hidden,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(host.isolation ? {} : { maxProcesses: Infinity }),
    });
    const watch = new TaskWatch(host.signal, command.timeout_sec, kill);
    const drained = [stdout.drain(child.stdout!, kill), stderr.drain(child.stderr!, kill)];
    const exit = await exited;
    if (!contained) await killMarked(MARK, mark);
    await settled(drained, [child.stdout!, child.stderr!], () => stdout.size + stderr.size);
    return ending(exit, watch.end('exec')?.error, command.timeout_sec);
  } catch (error) {
    const known = error instanceof LocateFault || error instanceof Error;
    return { exit_code: null, status: 'failed', error: known ? error.message : String(error) };
  } finally {
    await stdout.close();
    await stderr.close();
  }
}

function ending({ code, signal }: SandboxExit, stopped: OutcomeError | undefined, seconds = 0): Ended {
  if (stopped?.kind === 'timeout' && seconds > 0)
    return { exit_code: null, status: 'timed_out', error: `killed after its timeout of ${seconds} s` };
  if (stopped) return { exit_code: null, status: 'failed', error: stopped.message };
  if (code === 0) return { exit_code: 0, status: 'succeeded', error: null };
  const error = code === null ? `killed by ${signal}` : `exit code ${code}`;
  return { exit_code: code, status: 'failed', error };
}

/** Waits for the rest of the output, as long as more arrives. */
async function settled(drained: Promise<void>[], streams: Readable[], size: () => number): Promise<void> {
  const all = Promise.all(drained).then(() => true);
  for (let before = -1; before !== size(); ) {
    before = size();
    if (await Promise.race([all, sleep(IDLE_MS, false, { ref: false })])) return;
  }
  for (const stream of streams) stream.destroy();
  await all;
}

/** One stream of one command: its file, and the bounded view. */
class LogFile {
  size = 0;
  /** Why it could not be written. */
  fault: string | undefined;
  #file: FileHandle | undefined;
  #shown = 0;
  readonly #decoder = new StringDecoder('utf8');

  constructor(
    private readonly path: string,
    private readonly stream: 'stdout' | 'stderr',
    private readonly host: RunnerHost,
  ) {}

  async open(): Promise<void> {
    try {
      this.#file = await open(this.path, 'wx');
    } catch (error) {
      this.fault = unwritable(error);
      throw error;
    }
  }

  async drain(source: Readable, kill: () => void): Promise<void> {
    const redaction = this.host.redactor.stream();
    try {
      for await (const chunk of source) {
        this.size += (chunk as Buffer).length;
        await this.#write(redaction.push(chunk as Buffer));
      }
    } catch (error) {
      // The stream was cut off on purpose. Any other error comes from the file.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') {
        this.fault ??= unwritable(error);
        kill();
      }
    }
    await this.#write(redaction.end()).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.#show(bytes);
    for (let at = 0; at < bytes.length; ) at += (await this.#file!.write(bytes, at)).bytesWritten;
  }

  #show(bytes: Buffer): void {
    const room = SHOWN_BYTES - this.#shown;
    if (room <= 0) return;
    this.#shown += bytes.length;
    const text = this.#decoder.write(bytes.length > room ? bytes.subarray(0, room) : bytes);
    if (text !== '') this.host.log(this.stream, text);
    if (this.#shown >= SHOWN_BYTES) this.host.log(this.stream, '\n… the rest is in the bundle\n');
  }
}

function unwritable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
    ? `the disk is full (${code}), so Woof could not store the output; free some space, then use woof rerun`
    : `Woof could not store the output: ${message}`;
}
