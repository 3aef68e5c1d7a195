/**
 * The stores that the documents of this process named: opened when first used, a bounded number of them.
 *
 * Two documents share one only where all they say about it is equal, credentials included: a name alone opens nothing.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { FieldFault } from '@woof/tools';
import { FileFarStore } from './file-far-store.ts';
import { ResultStore } from './result-store.ts';

const MOST_OPEN = 32;
const GIB = 1024 ** 3;

export class ResultStores {
  private readonly open = new Map<string, Promise<ResultStore>>();

  /** `folder`: for what is on its way, and for copies near by. */
  constructor(private readonly folder: string) {}

  /** `definition` is rendered; `workdir` is the folder of the document. Throws a `FieldFault` where a field is wrong. */
  of(definition: JsonObject, workdir: string): Promise<ResultStore> {
    const id = createHash('sha256')
      .update(JSON.stringify([definition, definition.kind === 'file' ? workdir : '']))
      .digest('hex');
    const known = this.open.get(id);
    if (known) {
      this.open.delete(id);
      this.open.set(id, known);
      return known;
    }
    const opened = this.make(definition, workdir, join(this.folder, id.slice(0, 16)));
    this.open.set(id, opened);
    opened.catch(() => this.open.delete(id));
    if (this.open.size > MOST_OPEN) this.retireOldest();
    return opened;
  }

  async close(): Promise<void> {
    const stores = [...this.open.values()];
    this.open.clear();
    for (const store of stores) await (await store.catch(() => undefined))?.close();
  }

  private async make(definition: JsonObject, workdir: string, folder: string): Promise<ResultStore> {
    const { openFarStore } = await import('@woof/tools/far-store');
    const { kind, path, max_bytes: limit } = definition;
    const far = kind === 'file' ? new FileFarStore(workdir, String(path)) : await openFarStore(definition);
    if (!far)
      throw new FieldFault(
        `"spec.result.store.kind" must be one of file, postgres, nats_object, s3, got ${String(kind)}`,
      );
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return new ResultStore(far, folder, typeof limit === 'number' && limit > 0 ? limit : GIB);
  }

  private retireOldest(): void {
    const [id, store] = this.open.entries().next().value!;
    this.open.delete(id);
    void store.then((each) => each.close()).catch(() => {});
  }
}
