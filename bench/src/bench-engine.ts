/** An engine with a worker on a fresh SQLite log, set up as in `woof run`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Engine, type EngineOptions } from '@woof/engine';
import type { Plan } from '@woof/net';
import { FileBlobs, SqliteStore } from '@woof/stores';
import { createTools, type Tool } from '@woof/tools';
import { Worker } from '@woof/worker';

/** Does nothing, but counts as an effect: it starts only when everything that led to it is durable. */
const effect: Tool = {
  schema: { kind: 'effect', summary: 'An effect that takes no time.', fields: {} },
  run: () => Promise.resolve({ status: 'ok', result: null }),
};

export interface BenchEngine {
  engine: Engine;
  store: SqliteStore;
  folder: string;
  start(plan: Plan): Promise<string>;
  close(): Promise<void>;
}

/** `more`: additional tools. */
export function openBenchEngine(options: Partial<EngineOptions> = {}, more: Tool[] = []): BenchEngine {
  const folder = mkdtempSync(join(process.env.WOOF_BENCH_DIR ?? tmpdir(), 'woof-bench-'));
  const store = new SqliteStore(join(folder, 'woof.db'));
  const blobs = new FileBlobs(join(folder, 'blobs'));
  const worker: Worker = new Worker({
    id: 'bench',
    slots: 512,
    tools: new Map([
      ...createTools({ runs: join(folder, 'runs') }),
      ...[effect, ...more].map((tool) => [tool.schema.kind, tool] as const),
    ]),
    blobs,
    logs: { write: () => {}, close: async () => {} },
    sandbox: true,
    hidden: [],
    onAside: () => engine.slotFreed(),
    onFree: () => engine.slotFreed(),
  });
  const engine: Engine = new Engine({ store, blobs, executor: worker, ...options });
  return {
    engine,
    store,
    folder,
    start: (plan) => engine.start({ plan, source: {}, workload: {} }),
    close: async () => {
      await engine.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
