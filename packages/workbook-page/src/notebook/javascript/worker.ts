/**
 * Runs the JavaScript cells of a page, in a Worker: no document, no navigation, and by the page's policy no network.
 *
 * Cells are scripts of one scope, loaded one after the other, so that each sees the declarations of those before it. A
 * worker forgets nothing: for a clean scope the page starts another.
 */
import { decodeJson, encodeJson, type Json, type JsonObject, withPlainFloats } from '@woof/net';
import type { Answer, CellError, CellOutput, JsonText, Request } from '../messages.ts';
import { OutputValve } from '../output-valve.ts';
import { scope } from '../worker-scope.ts';
import { AWAIT, cellScript, SHOW } from './cell-script.ts';
import { closeDoors } from './closed-doors.ts';
import { formatAll } from './format-all.ts';
import { inspect } from './inspect.ts';
import { placeOfMistake } from './place-of-mistake.ts';
import { sharedValue } from './shared-value.ts';

const { importScripts, postMessage } = scope;
const { Worker } = globalThis;
const say = (answer: Answer) => Reflect.apply(postMessage, scope, [answer]);
const load = (url: string) => Reflect.apply(importScripts, scope, [url]);
/** JavaScript has one kind of number; an int that it cannot hold is a bigint. */
const decode = (text: string) => withPlainFloats(decodeJson(text));

let isRunning = false;
let fail: ((error: unknown) => void) | undefined;
let waiting: unknown;
let result: { value: unknown } | undefined;

const valve = new OutputValve((name, text) =>
  say({ kind: 'output', output: { output_type: 'stream', name, text } }),
);

function output(found: CellOutput): void {
  valve.flush();
  say({ kind: 'output', output: found });
}

const write = (name: 'stdout' | 'stderr', values: unknown[]) => valve.write(name, `${formatAll(values)}\n`);

const toStdout = (...values: unknown[]) => write('stdout', values);
const toStderr = (...values: unknown[]) => write('stderr', values);
const console = {
  ...{ log: toStdout, info: toStdout, debug: toStdout, dir: (value: unknown) => toStdout(value) },
  ...{ table: toStdout, group: toStdout, groupEnd: () => undefined },
  ...{ warn: toStderr, error: toStderr, trace: toStderr },
  assert: (good: unknown, ...values: unknown[]) => {
    if (!good) toStderr(`Assertion failed${values.length > 0 ? ':' : ''}`, ...values);
  },
};

const MIME = /^[a-z]+\/[\w.+-]+$/;

function isBundle(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => MIME.test(key));
}

function bundleOf(value: unknown): Record<string, Json> {
  if (isBundle(value)) {
    const entries = Object.entries(value).map(([type, data]) => [
      type,
      data instanceof Uint8Array ? toBase64(data) : data,
    ]);
    return decode(encodeJson(Object.fromEntries(entries))) as Record<string, Json>;
  }
  const data = { 'text/plain': inspect(value) };
  const html = (value as { toHTML?: unknown } | null)?.toHTML;
  const made: unknown = typeof html === 'function' ? Reflect.apply(html, value, []) : undefined;
  return typeof made === 'string' ? { ...data, 'text/html': made } : data;
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function display(value: unknown, metadata: JsonObject = {}): void {
  if (!isRunning) throw new Error('display() works only while a cell runs');
  output({ output_type: 'display_data', data: bundleOf(value), metadata });
}

const isError = (error: unknown): error is Error =>
  Object.prototype.toString.call(error) === '[object Error]';

/** With the lines of the cell, but none of the worker's. */
function describe(error: unknown, cell: string): CellError {
  const known = isError(error) || error instanceof Error;
  const ename = known ? String(error.name) : 'Error';
  const evalue = known ? String(error.message) : `thrown: ${inspect(error)}`;
  const stack = known && typeof error.stack === 'string' ? error.stack.split('\n') : [`${ename}: ${evalue}`];
  const own = stack.filter(
    (line) => !/^\s+at /.test(line) || line.includes(`<${cell}>`) || /<[\w.-]+>:\d/.test(line),
  );
  return {
    output_type: 'error',
    ename,
    evalue,
    traceback: own.slice(0, 200).map((line) => line.slice(0, 2000)),
  };
}

/** The error of a script that cannot be parsed has no line of its own. */
const isUnread = (error: unknown, { traceback }: CellError) =>
  error instanceof SyntaxError && !traceback.some((line) => /^\s+at /.test(line));

async function withPlace(error: CellError, cell: string, script: string): Promise<CellError> {
  const place = await placeOfMistake(script, Worker);
  const at = place === undefined ? [] : [`    at <${cell}>:${place.line}:${place.column}`];
  return { ...error, traceback: [...error.traceback, ...at] };
}

async function run({ cell, code }: { cell: string; code: string }): Promise<{ error?: CellError }> {
  result = undefined;
  waiting = undefined;
  isRunning = true;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const script = cellScript(code);
  const url = URL.createObjectURL(
    new Blob([`${script}\n//# sourceURL=<${cell}>`], { type: 'text/javascript' }),
  );
  try {
    load(url);
    await Promise.race([waiting, broken]);
    const shown = result as { value: unknown } | undefined;
    const value = shown === undefined ? undefined : await Promise.race([shown.value, broken]);
    if (value !== undefined) output({ output_type: 'execute_result', data: bundleOf(value), metadata: {} });
    return {};
  } catch (error) {
    const failed = describe(error, cell);
    return { error: isUnread(error, failed) ? await withPlace(failed, cell, script) : failed };
  } finally {
    fail = undefined;
    isRunning = false;
    URL.revokeObjectURL(url);
  }
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const RESERVED = ['woof', 'parameters', 'display', 'globalThis', 'undefined', 'NaN', 'Infinity'];
const bound = new Map<string, unknown>();
const woof: Record<string, unknown> = {};
const provided = new Set<string>();

function bind({ id, value: text, gentle }: { id: string; value: JsonText; gentle: boolean }): void {
  const value = decode(text);
  woof[id] = value;
  if (gentle && id in scope && scope[id] !== bound.get(id)) return;
  bound.set(id, value);
  if (IDENTIFIER.test(id) && !RESERVED.includes(id)) scope[id] = value;
}

function read(name: string): { value?: JsonText } {
  if (provided.has(name)) return {};
  try {
    const value = scope[name];
    const text =
      typeof value === 'function' ? undefined : (encodeJson(sharedValue(value)) as JsonText | undefined);
    return text === undefined ? {} : { value: text };
  } catch {
    return {};
  }
}

function reset(parameters: JsonObject): void {
  closeDoors(scope);
  woof.parameters = parameters;
  Object.assign(scope, { woof, parameters, display, console });
  for (const name of Object.getOwnPropertyNames(scope)) provided.add(name);
}

async function answer(request: Request): Promise<Omit<Answer & { kind: 'end' }, 'kind'>> {
  if (request.do === 'run') return run(request);
  if (request.do === 'read') return read(request.name);
  if (request.do === 'bind') bind(request);
  if (request.do === 'reset') reset(decode(request.parameters) as JsonObject);
  return {};
}

scope[SHOW] = (value: unknown) => {
  result = { value };
};
scope[AWAIT] = (promise: unknown) => {
  waiting = promise;
};

function onFailure(error: unknown): void {
  if (fail) fail(error);
  else toStderr(inspect(error));
}

scope.addEventListener('error', (event: ErrorEvent) => {
  event.preventDefault();
  onFailure(event.error);
});
scope.addEventListener('unhandledrejection', (event: PromiseRejectionEvent) => {
  event.preventDefault();
  onFailure(event.reason);
});
scope.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  void answer(data).then((end) => {
    valve.end();
    say({ kind: 'end', ...end });
  });
});
