/** Results as files in one folder below the document's, where its tasks may have put links. */
import { randomBytes } from 'node:crypto';
import { constants, promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { failure, type Outcome } from '@woof/net';
import { FieldFault } from '../fields.ts';
import { holdFolder } from '../hold-folder.ts';
import { Absent, type FarStore } from './far-store.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

export class FileFarStore implements FarStore {
  readonly name: string;
  private readonly path: string;

  constructor(
    private readonly folder: string,
    path: string,
  ) {
    this.path = normalize(path).replace(/\/$/, '');
    if (path === '' || /^(\/|\.\.(\/|$))|\0/.test(this.path))
      throw new FieldFault('"path" must be a directory below the folder of the document, such as results');
    this.name = `file:${join(folder, this.path)}`;
  }

  async write(key: string, _size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    const held = holdFolder(this.folder, this.path, true);
    const aside = join(held.path, `.${randomBytes(8).toString('hex')}`);
    try {
      const file = await promises.open(aside, 'wx');
      try {
        for await (const chunk of bytes()) await file.appendFile(chunk);
        await file.datasync();
      } finally {
        await file.close();
      }
      await promises.rename(aside, join(held.path, key));
      await held.sync();
    } finally {
      await promises.rm(aside, { force: true });
      held.close();
    }
  }

  async *read(key: string): AsyncIterable<Uint8Array> {
    const file = await this.opened(key);
    try {
      if (!(await file.stat()).isFile()) throw new Absent(`${this.name} has no ${key}`);
      yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
    } finally {
      await file.close();
    }
  }

  failure(error: unknown): Outcome {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return failure('storage', `${this.name}: ${message}`, {
      retryable: code === 'ENOSPC',
      ...(code ? { code } : {}),
    });
  }

  async close(): Promise<void> {}

  private async opened(key: string): Promise<FileHandle> {
    try {
      const held = holdFolder(this.folder, this.path, false);
      try {
        return await promises.open(join(held.path, key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      } finally {
        held.close();
      }
    } catch (error) {
      if (['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw new Absent(`${this.name} has no ${key}`);
      throw error;
    }
  }
}
