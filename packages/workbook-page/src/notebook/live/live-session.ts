/**
 * One worker that runs the cells of one language. Owns: starting it, one request at a time, ending it. A cell may forge
 * its messages, so they are only ever shown or passed to other cells.
 */
import { decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
import type { Answer, CellError, CellOutput, JsonText, Request } from '../messages.ts';

export interface SessionSource {
  /** The source code of the worker. */
  script(): Promise<string>;
  payload?(): Record<string, string>;
  /** Whether `reset` provides a clean scope; if not, a new worker does. */
  resets: boolean;
}

export type End = { error?: CellError; value?: JsonText };

export class LiveSession {
  /** Cells whose effects are in its scope. */
  readonly applied = new Set<string>();
  /** Cells that ran in it, successfully or not. */
  readonly touched = new Set<string>();
  readonly bound = new Set<string>();
  #worker: Promise<Worker> | undefined;
  #settle: ((end: End) => void) | undefined;
  #onOutput: (output: CellOutput) => void = () => {};

  constructor(private readonly source: SessionSource) {}

  /** Starts it if it is not running. */
  async start(): Promise<void> {
    await this.#started();
  }

  #started(): Promise<Worker> {
    if (this.#worker) return this.#worker;
    const launched = this.#launch();
    this.#worker = launched;
    // Those waiting for it receive the error; the next call tries again.
    launched.catch(() => {
      if (this.#worker === launched) this.#worker = undefined;
    });
    return launched;
  }

  /** Provides a scope in which nothing has run. */
  async reset(parameters: JsonObject): Promise<void> {
    if (!this.source.resets && this.isUsed) this.stop();
    this.#forget();
    await this.start();
    await this.#ask({ do: 'reset', parameters: encodeJson(parameters) });
  }

  get isUsed(): boolean {
    return this.touched.size + this.bound.size > 0;
  }

  async bind(id: string, value: Json, gentle = false): Promise<void> {
    await this.#ask({ do: 'bind', id, value: encodeJson(value), gentle });
  }

  async read(name: string): Promise<Json | undefined> {
    const { value } = await this.#ask({ do: 'read', name });
    return value === undefined ? undefined : decodeJson(value);
  }

  async run(cell: string, code: string, onOutput: (output: CellOutput) => void): Promise<End> {
    this.#onOutput = onOutput;
    this.touched.add(cell);
    const end = await this.#ask({ do: 'run', cell, code });
    this.#onOutput = () => {};
    return end;
  }

  /** Ends whatever is running. */
  stop(error?: CellError): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#forget();
    // A worker that failed to start has ended by itself.
    worker?.then(
      (each) => each.terminate(),
      () => {},
    );
    this.#settle?.({ error: error ?? problem('Stopped', 'the cell was stopped') });
  }

  #forget(): void {
    this.applied.clear();
    this.touched.clear();
    this.bound.clear();
  }

  async #launch(): Promise<Worker> {
    const url = URL.createObjectURL(new Blob([await this.source.script()], { type: 'text/javascript' }));
    const worker = new Worker(url);
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#settle?.({
        error: problem('KernelError', event.message || 'the browser did not start the worker'),
      });
    };
    const { payload } = this.source;
    const hello: Request = payload ? { do: 'hello', payload: payload() } : { do: 'hello' };
    const { error } = await this.#answerOf(worker, hello);
    URL.revokeObjectURL(url);
    if (error === undefined) return worker;
    worker.terminate();
    throw new Error(`${error.ename}: ${error.evalue}`);
  }

  async #ask(request: Request): Promise<End> {
    return this.#answerOf(await this.#started(), request);
  }

  #answerOf(worker: Worker, request: Request): Promise<End> {
    return new Promise((resolve) => {
      this.#settle = (end) => {
        this.#settle = undefined;
        resolve(end);
      };
      worker.postMessage(request);
    });
  }

  #hear(answer: Answer): void {
    if (answer?.kind === 'end') this.#settle?.(answer);
    const output = answer?.kind === 'output' ? readOutput(answer.output) : undefined;
    if (isOutput(output)) this.#onOutput(output);
  }
}

export function problem(ename: string, evalue: string): CellError {
  return { output_type: 'error', ename, evalue, traceback: [] };
}

function readOutput(output: CellOutput | JsonText): unknown {
  if (typeof output !== 'string') return output;
  try {
    return decodeJson(output);
  } catch {
    return undefined;
  }
}

function isOutput(output: unknown): output is CellOutput {
  const { output_type: type, data, text } = (output ?? {}) as Record<string, unknown>;
  if (type === 'stream') return typeof text === 'string';
  return (type === 'display_data' || type === 'execute_result') && typeof data === 'object' && data !== null;
}
