/**
 * Draws a chart in a separate process in the sandbox: a specification contains expressions, so it is untrusted code.
 *
 * Owns: the process, its limits, the meaning of its exit. Does not own: where the chart's data comes from. The renderer
 * arrives through stdin, before the specification. So no file must be visible inside, which matters for a user who
 * cannot read our folder.
 */

import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { encodeJson } from '@woof/net';
import {
  probeSandbox,
  type SandboxExit,
  type SandboxedProcess,
  sandboxRefusal,
  spawnSandboxed,
} from '@woof/sandbox';
import type { CellEnd, CellError } from '../kernel.ts';
import { StopWatch } from '../stop-watch.ts';
import { type ChartQuestion, toChartAnswer } from './chart-answer.ts';

export interface ChartRequest extends ChartQuestion {
  /** The bundle of `vega-renderer.ts`. */
  renderer: string;
  workdir: string;
  sandbox: boolean;
  timeoutMs?: number;
  memoryMb?: number;
  signal: AbortSignal;
}

export interface ChartEnd extends CellEnd {
  svg?: string;
  warnings: string[];
}

/** The author chooses the limits of a kernel, but a chart that needs more than these is a mistake. */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 1024;
const MAX_QUESTION_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_COMPLAINT = 4000;

/** The first line says how many bytes of the rest are the renderer. */
const BOOT = `
const all = require('fs').readFileSync(0), at = all.indexOf(10) + 1, end = at + Number(all.subarray(0, at));
new (require('vm').Script)(all.toString('utf8', at, end), { filename: 'vega-renderer' }).runInThisContext();
woofChart.render(JSON.parse(all.toString('utf8', end))).then((answer) => {
  process.stdout.write(JSON.stringify(answer), () => process.exit(0));
});`;

export async function renderChart(request: ChartRequest): Promise<ChartEnd> {
  const started = performance.now();
  const how = await draw(request).catch((error: Error) => notDrawn(error.message, request));
  return { warnings: [], transient: false, ...how, durationMs: performance.now() - started, droppedBytes: 0 };
}

type How = Pick<ChartEnd, 'status'> & Partial<ChartEnd>;

async function draw(request: ChartRequest): Promise<How> {
  const { spec, kind, renderer, timeoutMs = TIMEOUT_MS, signal } = request;
  const question = Buffer.from(encodeJson({ spec, kind }));
  if (question.length > MAX_QUESTION_BYTES)
    return tooLarge('with its data', question.length, MAX_QUESTION_BYTES);
  const script = await readFile(renderer);
  const process = start(request);
  const watch = new StopWatch(
    { timeoutMs, signal },
    { interrupt: undefined, kill: process.kill, graceMs: 0 },
  );
  const answer = collect(process.child.stdout!, MAX_ANSWER_BYTES, process.kill);
  const complaint = collect(process.child.stderr!, MAX_COMPLAINT);
  give(process.child.stdin!, [Buffer.from(`${script.length}\n`), script, question]);
  const exit = await process.exited;
  watch.stop();
  const { bytes, text } = await answer;
  if (watch.timedOut) return { ...failed('TimeoutError', slow(timeoutMs)), status: 'timeout' };
  if (watch.aborted) return { ...failed('KeyboardInterrupt', 'the chart was cancelled'), status: 'died' };
  if (bytes > MAX_ANSWER_BYTES) return tooLarge('drawn', bytes, MAX_ANSWER_BYTES);
  const said = toChartAnswer(text);
  if (said === undefined) return died(exit, (await complaint).text, request);
  return said.error ? failed(said.error.ename, said.error.evalue) : { status: 'ok', ...said };
}

function start({ workdir, sandbox, memoryMb = MEMORY_MB }: ChartRequest): SandboxedProcess {
  return spawnSandboxed({
    // The heap gets half: Node needs additional memory, and much more if only the address space is limited.
    argv: [process.execPath, `--max-old-space-size=${Math.ceil(memoryMb / 2)}`, '-e', BOOT],
    env: { LANG: 'C.UTF-8', TZ: 'UTC', HOME: '/tmp', UV_THREADPOOL_SIZE: '1' },
    policy: { allow_files: false, allow_network: false, allow_shell: false },
    workdir,
    memoryMb,
    isolate: sandbox,
  });
}

/** Only after a failure, because probing the sandbox costs as much as starting a process in it. */
async function notDrawn(why: string, { sandbox }: ChartRequest): Promise<How> {
  const probe = sandbox ? await probeSandbox() : { available: true };
  return probe.available ? failed('RendererError', why) : failed('SandboxError', sandboxRefusal(probe));
}

async function died(exit: SandboxExit, complaint: string, request: ChartRequest): Promise<How> {
  const { memoryMb = MEMORY_MB } = request;
  if (exit.outOfMemory || /out of memory|Array buffer allocation failed/i.test(complaint)) {
    return failed('MemoryError', `the chart ran out of memory: it may use memory_mb=${memoryMb}`);
  }
  const how = exit.signal ? `was killed by ${exit.signal}` : `ended with exit code ${exit.code}`;
  const said = /^\w*Error: .*/m.exec(complaint)?.[0];
  const why = said === undefined ? `the renderer ${how}` : `the renderer ${how}: ${said}`;
  return { ...(await notDrawn(why, request)), status: 'died', transient: exit.signal !== null };
}

function slow(timeoutMs: number): string {
  return `drawing the chart took longer than its timeout of ${timeoutMs / 1000} s`;
}

function tooLarge(what: string, bytes: number, limit: number): How {
  const mib = (size: number) => `${Math.ceil(size / 1024 / 1024)} MiB`;
  return failed('ChartError', `the chart ${what} has ${mib(bytes)} or more; the limit is ${mib(limit)}`);
}

function failed(ename: string, evalue: string): How & { error: CellError } {
  return { status: 'error', error: { output_type: 'error', ename, evalue, traceback: [] } };
}

/** Collects the beginning of a stream. Bytes beyond the limit are counted, and `full` is called. */
function collect(
  stream: Readable,
  limit: number,
  full?: () => void,
): Promise<{ bytes: number; text: string }> {
  const kept: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < limit) kept.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) full?.();
  });
  stream.on('error', () => undefined);
  return new Promise((resolve) => {
    stream.once('close', () => resolve({ bytes, text: Buffer.concat(kept).toString() }));
  });
}

function give(stdin: Writable, parts: readonly Buffer[]): void {
  // A process that ends early breaks the pipe; its exit tells why.
  stdin.on('error', () => undefined);
  for (const part of parts) stdin.write(part);
  stdin.end();
}
