import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reference } from '@woof/net';
import { exerciseBlobs } from '@woof/testkit';
import { build } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CachedBlobs } from './cached-blobs.ts';
import { FileBlobs } from './file-blobs.ts';

const pathIn = (folder: string, { key }: Reference) => join(folder, key.slice(0, 2), key.slice(2));

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes[0]! ^= 1;
  writeFileSync(path, bytes);
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

exerciseBlobs('file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-blobs-'));
  return {
    blobs: new FileBlobs(folder),
    damage: async (reference) => damage(pathIn(folder, reference)),
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});

exerciseBlobs('cached', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-blobs-'));
  const [near, far] = [join(folder, 'near'), join(folder, 'far')];
  return {
    blobs: new CachedBlobs(near, new FileBlobs(far)),
    // Only a value that is damaged at its source is lost; the folder is repaired below.
    damage: async (reference) => {
      rmSync(pathIn(near, reference));
      damage(pathIn(far, reference));
    },
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});

describe('file blobs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'woof-blobs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** With `ulimit -f`, the kernel accepts part of a write, as a nearly full disk does. */
  it('stores nothing if the disk accepts only a part', async () => {
    const program = join(folder, 'put.mjs');
    const input = join(folder, 'put.ts');
    const code = `import { FileBlobs } from '${join(import.meta.dirname, 'file-blobs.ts')}';
      const [folder, length] = process.argv.slice(2);
      const bytes = Buffer.alloc(Number(length), 'x');
      const put = new FileBlobs(folder).put((async function* () { yield bytes; })(), { hint: null, maxBytes: 1e9 });
      put.then(() => console.log('stored'), (error) => console.log(error.code));`;
    writeFileSync(input, code);
    await build({ input, platform: 'node', output: { file: program } });
    const put = (length: number) => {
      const line = `ulimit -f 100; trap '' XFSZ; exec "$0" "$@"`;
      const blobs = join(folder, 'blobs');
      const args = ['-c', line, process.execPath, program, blobs, String(length)];
      return spawnSync('bash', args, { encoding: 'utf8' }).stdout.trim();
    };
    const stored = () =>
      readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
    expect(put(150_000)).toBe('EFBIG');
    expect(stored()).toEqual([]);
    expect(put(50_000)).toBe('stored');
    expect(stored()).toHaveLength(1);
  });

  it('writes a text again whose file was cut short', async () => {
    const blobs = new FileBlobs(folder);
    const reference = await blobs.put(bytesOf('value'), { hint: null, maxBytes: 1000 });
    truncateSync(pathIn(folder, reference), 2);
    expect(() => blobs.getText(reference)).toThrow(/does not match/);
    await blobs.putBytes(Buffer.from('value'), reference);
    expect(blobs.getText(reference)).toBe('value');
  });
});

describe('cached blobs', () => {
  let folder: string;
  let near: string;
  let far: FileBlobs;
  const options = { hint: null, maxBytes: 1000 };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'woof-blobs-'));
    near = join(folder, 'near');
    far = new FileBlobs(join(folder, 'far'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const filesNear = () =>
    existsSync(near)
      ? readdirSync(near, { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
      : [];

  it('asks for a value stored elsewhere to be fetched, once for many callers', async () => {
    const reference = await far.put(bytesOf('value'), options);
    let asked = 0;
    const counting = Object.assign(Object.create(far) as FileBlobs, {
      get: (wanted: Reference) => {
        asked += 1;
        return far.get(wanted);
      },
    });
    const blobs = new CachedBlobs(near, counting);
    expect(() => blobs.getText(reference)).toThrow(/not on this machine yet/);
    await Promise.all([blobs.bring(reference), blobs.bring(reference), blobs.bring(reference)]);
    await blobs.bring(reference);
    expect(blobs.getText(reference)).toBe('value');
    expect(asked).toBe(1);
  });

  it('puts values where they are durable', async () => {
    const blobs = new CachedBlobs(near, far);
    const reference = await blobs.put(bytesOf('value'), options);
    expect(far.getText(reference)).toBe('value');
    rmSync(near, { recursive: true });
    await blobs.bring(reference);
    expect(blobs.getText(reference)).toBe('value');
  });

  it('repairs a damaged file from the source of the value', async () => {
    const blobs = new CachedBlobs(near, far);
    const reference = await blobs.put(bytesOf('value'), options);
    damage(pathIn(near, reference));
    expect(() => blobs.getText(reference)).toThrow(/not on this machine yet/);
    await blobs.bring(reference);
    expect(blobs.getText(reference)).toBe('value');
    damage(pathIn(near, reference));
    let text = '';
    for await (const piece of blobs.get(reference)) text += Buffer.from(piece).toString();
    expect(text).toBe('value');
  });

  it('removes the least recently used files when it holds too much, and nothing in use', async () => {
    const put = (blobs: CachedBlobs, text: string) => blobs.put(bytesOf(text.repeat(100)), options);
    const small = new CachedBlobs(near, far, { maxBytes: 500, inUseMs: 0 });
    const references: Reference[] = [];
    for (const [index, letter] of [...'abcde'].entries()) {
      references.push(await put(small, letter));
      utimesSync(pathIn(near, references[index]!), index + 1, index + 1);
    }
    expect(small.getText(references[0]!)).toBe('a'.repeat(100));
    expect(filesNear()).toHaveLength(5);
    await put(small, 'f');
    expect(() => small.getText(references[1]!)).toThrow(/not on this machine yet/);
    expect(() => small.getText(references[2]!)).toThrow(/not on this machine yet/);
    expect(small.getText(references[0]!)).toBe('a'.repeat(100));
    expect(filesNear()).toHaveLength(4);

    const busy = new CachedBlobs(near, far, { maxBytes: 50 });
    for (const reference of references) await busy.bring(reference);
    for (const reference of references) expect(busy.getText(reference)).toHaveLength(100);
  });
});
