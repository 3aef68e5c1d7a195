/**
 * Runs the Python cells of a page, in a Worker: Pyodide, all of whose parts come from the page itself. Nothing is
 * fetched: `fetch` answers with these parts while Pyodide starts, and is removed afterwards.
 */
import { decodeJson, encodeJson, type Json } from '@woof/net';
import type { Answer, CellError, Request } from '../messages.ts';
import { OutputValve } from '../output-valve.ts';
import { open } from '../payload.ts';
import { scope } from '../worker-scope.ts';

interface Python {
  runPython(code: string, options?: { globals: unknown }): unknown;
  globals: { get(name: string): (...args: unknown[]) => unknown };
  toPy(value: unknown): unknown;
}

interface Loader {
  loadPyodide(options: Record<string, unknown>): Promise<Python>;
}

type End = Omit<Answer & { kind: 'end' }, 'kind'>;

const post = scope.postMessage;
const say = (answer: Answer) => Reflect.apply(post, scope, [answer]);
const valve = new OutputValve((name, text) =>
  say({ kind: 'output', output: { output_type: 'stream', name, text } }),
);
const sayStream = (name: 'stdout' | 'stderr', text: string) => valve.write(name, text);

const sayOutput = (json: string) => {
  valve.flush();
  say({ kind: 'output', output: json });
};

let python: Python;

async function hello(payload: Record<string, string>): Promise<void> {
  const part = (name: string) => open(payload[name]!);
  const moduleOf = async (name: string) => {
    const url = URL.createObjectURL(new Blob([await part(name)], { type: 'text/javascript' }));
    return import(/* @vite-ignore */ url) as Promise<unknown>;
  };
  const parts: Record<string, [Promise<ArrayBuffer>, string]> = {
    'pyodide.asm.wasm': [part('wasm'), 'application/wasm'],
    'python_stdlib.zip': [part('library'), 'application/zip'],
  };
  scope.fetch = async (url: unknown) => {
    const [bytes, type] = parts[String(url).split('/').at(-1)!] ?? [];
    return new Response(await bytes!, { headers: { 'content-type': type! } });
  };
  const [loader, runtime] = (await Promise.all([moduleOf('loader'), moduleOf('runtime')])) as [
    Loader,
    { default: unknown },
  ];
  python = await loader.loadPyodide({
    indexURL: 'https://page.invalid/',
    createPyodideModule: runtime.default,
    lockFileContents: JSON.parse(payload.lock!),
    jsglobals: {},
  });
  scope.fetch = undefined;
  start(JSON.parse(payload.driver!) as { source: string; parts: Record<string, string> });
}

let driver: { get(name: string): (...args: unknown[]) => unknown };

/** The driver has a namespace of its own, as it does in a process. */
function start({ source, parts }: { source: string; parts: Record<string, string> }): void {
  const namespace = python.toPy({ __name__: '<woof>' }) as typeof driver & {
    set(name: string, value: unknown): void;
  };
  namespace.set('say_stream', sayStream);
  namespace.set('say_output', sayOutput);
  namespace.set('PARTS', python.toPy(parts));
  namespace.set('SOURCE', source);
  python.runPython("exec(compile(SOURCE, '<woof>', 'exec'), globals())", { globals: namespace });
  driver = namespace;
}

const call = (name: string, ...args: unknown[]) => driver.get(name)(...args);

/** The driver writes the fields of an answer, as it does on its channel. */
function fieldsOf(text: unknown): End {
  const { error, value } = decodeJson<{ error?: CellError; value?: Json }>(`{"kind":"end"${String(text)}}`);
  return { ...(error ? { error } : {}), ...(value === undefined ? {} : { value: encodeJson(value) }) };
}

async function answer(request: Request): Promise<End> {
  if (request.do === 'hello') await hello(request.payload!);
  if (request.do === 'reset') call('reset', request.parameters);
  if (request.do === 'bind') call('bind', request.id, request.value, request.gentle);
  if (request.do === 'read') return fieldsOf(call('read', request.name));
  return request.do === 'run' ? fieldsOf(await call('run', request.cell, request.code)) : {};
}

function problem(error: unknown): { error: CellError } {
  const evalue = String((error as Error | undefined)?.message ?? error);
  return { error: { output_type: 'error', ename: 'KernelError', evalue, traceback: [] } };
}

scope.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  void answer(data)
    .catch(problem)
    .then((end) => {
      valve.end();
      say({ ...end, kind: 'end' });
    });
});
