/** The composition root of a process that runs things: store, engine, worker and tools in one. */
import { Engine, type EngineOptions } from '@woof/engine';
import { createTools } from '@woof/tools';
import { FileLogSink, type LogLine, Worker } from '@woof/worker';
import { openForWriting, type WritableData } from './data-directory.ts';
import { readPlan } from './read-plan.ts';

/** Tasks mostly wait; what computes (Python, shell) is bounded by its own pool. */
const SLOTS = 128;

export interface RuntimeOptions {
  data?: string | undefined;
  sandbox: boolean;
  onEvents?: EngineOptions['onEvents'];
  onLog?: (line: LogLine, executionId: string) => void;
}

export interface Runtime {
  data: WritableData;
  engine: Engine;
  close(): Promise<void>;
}

export function openRuntime(options: RuntimeOptions): Runtime {
  const data = openForWriting(options.data);
  const worker: Worker = new Worker({
    id: `local-${process.pid}`,
    slots: SLOTS,
    tools: createTools(),
    blobs: data.blobs,
    logs: new FileLogSink(data.logs, options.onLog),
    sandbox: options.sandbox,
    onFree: () => engine.slotFreed(),
  });
  const engine: Engine = new Engine({
    store: data.store,
    blobs: data.blobs,
    executor: worker,
    resolve: async (path, from) => readNested(path, from),
    ...(options.onEvents ? { onEvents: options.onEvents } : {}),
  });
  const close = async () => {
    await engine.close();
    await worker.close();
    await data.close();
  };
  return { data, engine, close };
}

async function readNested(
  path: string,
  from: Record<string, string>,
): ReturnType<NonNullable<EngineOptions['resolve']>> {
  const read = readPlan(path, from.folder);
  if (read.plan) return { plan: read.plan, source: read.source };
  const first = read.diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  const place = first
    ? `${read.source.file}:${first.line}:${first.column}: ${first.message}`
    : 'it cannot be read';
  return { message: `nested playbook ${path}: ${place}` };
}
