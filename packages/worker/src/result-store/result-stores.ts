/**
 * The stores that the documents of this process named. They are opened on first use, and a bounded number of them stays
 * open while nobody holds them. A store that a job holds is never closed, however many there are.
 *
 * Two documents share a store only if everything they say about it is equal, including credentials: a name alone opens
 * nothing.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeJson, type JsonObject, plainNumber } from '@woof/net';
import { isInFolder, openFarStore } from '@woof/tools';
import { ResultStore } from './result-store.ts';

const MOST_OPEN = 32;
const GIB = 1024 ** 3;

interface Opened {
  store: Promise<ResultStore>;
  holders: Set<object>;
}

export class ResultStores {
  /** Ordered by use, the most recently requested last. */
  private readonly open = new Map<string, Opened>();

  /** `folder`: for values in transit and for local copies. */
  constructor(private readonly folder: string) {}

  /**
   * `definition` is rendered; `workdir` is the folder of the document; `holder` keeps the store until it calls
   * `release`. Throws a `FieldFault` if a field is wrong.
   */
  of(definition: JsonObject, workdir: string, holder: object): Promise<ResultStore> {
    const id = createHash('sha256')
      .update(encodeJson([definition, isInFolder(definition) ? workdir : '']))
      .digest('hex');
    const opened = this.open.get(id) ?? {
      store: this.make(definition, workdir, join(this.folder, id.slice(0, 16))),
      holders: new Set(),
    };
    opened.holders.add(holder);
    this.open.delete(id);
    this.open.set(id, opened);
    opened.store.catch(() => this.forget(id, opened));
    this.retire();
    return opened.store;
  }

  release(holder: object): void {
    for (const { holders } of this.open.values()) holders.delete(holder);
    this.retire();
  }

  async close(): Promise<void> {
    const stores = [...this.open.values()];
    this.open.clear();
    for (const { store } of stores) await (await store.catch(() => undefined))?.close();
  }

  private async make(definition: JsonObject, workdir: string, folder: string): Promise<ResultStore> {
    const far = await openFarStore(definition, workdir);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const most = plainNumber(definition.max_bytes) ?? 0;
    return new ResultStore(far, folder, most > 0 ? most : GIB);
  }

  private forget(id: string, opened: Opened): void {
    if (this.open.get(id) === opened) this.open.delete(id);
  }

  /** Closes stores that nobody holds, the oldest first, until few enough are open. */
  private retire(): void {
    for (const [id, { store, holders }] of this.open) {
      if (this.open.size <= MOST_OPEN) return;
      if (holders.size > 0) continue;
      this.open.delete(id);
      void store.then((each) => each.close()).catch(() => {});
    }
  }
}
