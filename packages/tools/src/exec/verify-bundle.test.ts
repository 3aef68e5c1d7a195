/** Changes to a sealed bundle, all of which must be noticed. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Outcome } from '@woof/net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyBundle } from './bundle.ts';
import { ExecCase, type ExecResult } from './exec-case.ts';
import { removeBundles } from './remove-bundles.ts';
import { vouchedFor } from './verify-bundle.ts';

const FILES = [
  'SHA256SUMS',
  'cmd-000.stderr.log',
  'cmd-000.stdout.log',
  'manifest.json',
  'meta/env.json',
  'meta/repo.txt',
];
const FOLDERS = ['', 'meta'];

const block = new ExecCase();
let sealed: string;
let digest: string;
let count = 0;
/** A new path in the test's own folder. */
function fresh(): string {
  count += 1;
  return join(block.root, `made-${count}`);
}
beforeAll(async () => {
  const outcome = await block.run({ commands: [{ program: 'echo', args: ['hello'] }] });
  sealed = block.bundle(outcome);
  digest = ((outcome as Outcome).result as ExecResult).bundle_sha256;
});
afterAll(() => block.remove());

/** A copy of the bundle, which can be changed without affecting the original. */
function copy(): string {
  const folder = fresh();
  execFileSync('cp', ['-a', sealed, folder]);
  return folder;
}

/** Applies a change to a path, and preserves all file modes. */
function change(folder: string, path: string, act: (full: string) => void): void {
  const full = join(folder, path);
  const places = [dirname(full), full].filter((place) => place.startsWith(folder));
  const modes = places.map((place) => lstatSync(place).mode);
  for (const place of places) chmodSync(place, 0o755);
  act(full);
  places.forEach((place, index) => {
    const now = lstatSync(place, { throwIfNoEntry: false });
    if (now && !now.isSymbolicLink()) chmodSync(place, modes[index]!);
  });
}

const flipped = (bytes: Buffer, at: number) => {
  const other = Buffer.from(bytes);
  other[at % bytes.length]! ^= 1;
  return other;
};

/** Changes to a file, which keep it with its mode or not. */
const TO_FILES: Record<string, (full: string, seed: number) => void> = {
  'another byte': (full, seed) => {
    const bytes = readFileSync(full);
    writeFileSync(full, bytes.length === 0 ? 'x' : flipped(bytes, seed));
  },
  'a byte more': (full) => appendFileSync(full, '\n'),
  'a byte less': (full) => {
    const bytes = readFileSync(full);
    writeFileSync(full, bytes.length === 0 ? 'x' : bytes.subarray(0, -1));
  },
  'its lines turned around': (full) => {
    const lines = readFileSync(full, 'utf8').split('\n');
    writeFileSync(full, lines.length < 3 ? 'x' : lines.reverse().join('\n'));
  },
  gone: (full) => rmSync(full),
  'another name': (full) => renameSync(full, `${full}.old`),
  'a link to the same bytes': (full) => {
    const aside = fresh();
    renameSync(full, aside);
    symlinkSync(aside, full);
  },
  'a folder': (full) => {
    rmSync(full);
    mkdirSync(full);
  },
  'a pipe': (full) => {
    rmSync(full);
    execFileSync('mkfifo', ['-m', '444', full]);
  },
};

const TO_FOLDERS: Record<string, (full: string) => void> = {
  'a file more': (full) => writeFileSync(join(full, 'more'), ''),
  'a hidden file more': (full) => writeFileSync(join(full, '.more'), ''),
  'a folder more': (full) => mkdirSync(join(full, 'more')),
  'a link more': (full) => symlinkSync('manifest.json', join(full, 'more')),
  'a dead link more': (full) => symlinkSync('nothing', join(full, 'more')),
  'a name more for a file': (full) => {
    const [name = ''] = readdirSync(full).filter((each) => lstatSync(join(full, each)).isFile());
    linkSync(join(full, name), join(full, 'more'));
  },
  gone: (full) => rmSync(full, { recursive: true }),
  'a link to the same files': (full) => {
    const aside = fresh();
    execFileSync('cp', ['-a', full, aside]);
    rmSync(full, { recursive: true });
    symlinkSync(aside, full);
  },
};

interface Mutation {
  what: string;
  path: string;
  seed: number;
}

const mode = fc
  .record({ path: fc.constantFrom(...FILES, ...FOLDERS), seed: fc.integer({ min: 0, max: 0o7777 }) })
  .filter(({ path, seed }) => seed !== (FOLDERS.includes(path) ? 0o555 : 0o444))
  .map((each) => ({ ...each, what: 'mode' }));
const anyOf = (table: object, paths: string[]) =>
  fc.record({
    what: fc.constantFrom(...Object.keys(table)),
    path: fc.constantFrom(...paths),
    seed: fc.nat(),
  });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(mode, anyOf(TO_FILES, FILES), anyOf(TO_FOLDERS, FOLDERS));

function mutate(folder: string, { what, path, seed }: Mutation): void {
  if (what === 'mode') chmodSync(join(folder, path), seed);
  else if (FOLDERS.includes(path)) change(folder, path, (full) => TO_FOLDERS[what]!(full));
  else change(folder, path, (full) => TO_FILES[what]!(full, seed));
}

describe('verify', () => {
  it('finds nothing if nothing was changed, as sha256sum does', async () => {
    for (const folder of [sealed, copy()]) {
      expect(await verifyBundle(folder)).toEqual([]);
      expect(await verifyBundle(folder, digest)).toEqual([]);
      expect(
        execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder }),
      ).toHaveLength(0);
    }
  });

  it('notices every single change, by the sums alone and by the log', async () => {
    await fc.assert(
      fc.asyncProperty(mutation, async (one) => {
        const folder = copy();
        mutate(folder, one);
        expect(await verifyBundle(folder)).not.toEqual([]);
        expect(await verifyBundle(folder, digest)).not.toEqual([]);
        await removeBundles(folder);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it.each<[string, string, string, string]>([
    ['another byte', 'cmd-000.stdout.log', 'changed', 'its content changed after the bundle was sealed'],
    ['gone', 'meta/env.json', 'missing', 'it does not exist any more'],
    ['gone', 'SHA256SUMS', 'unsealed', 'there are no checksums'],
    ['gone', '', 'missing', 'the bundle does not exist'],
    ['its lines turned around', 'SHA256SUMS', 'changed', 'were changed after Woof wrote them'],
    ['a link to the same bytes', 'manifest.json', 'changed', 'no longer a regular file'],
    ['a link to the same files', '', 'changed', 'the bundle is no longer a directory'],
    ['a link to the same files', 'meta', 'changed', 'no longer a directory'],
    ['a folder more', 'meta', 'extra', 'added after the bundle was sealed'],
  ])('reports for %s of %j: %s', async (what, path, fault, words) => {
    const folder = copy();
    mutate(folder, { what, path, seed: 7 });
    const [first] = await verifyBundle(folder);
    expect(first).toMatchObject({ fault, message: expect.stringContaining(words) });
  });

  it.each([
    ['manifest.json', 0o644, 'its mode is 0644, but was 0444 when the bundle was sealed'],
    ['cmd-000.stdout.log', 0o555, 'its mode is 0555, but was 0444 when the bundle was sealed'],
    ['meta', 0o755, 'its mode is 0755, but was 0555 when the bundle was sealed'],
    ['', 0o1555, 'its mode is 1555, but was 0555 when the bundle was sealed'],
  ])('reports the wrong mode of %j', async (path, bits, message) => {
    const folder = copy();
    chmodSync(join(folder, path), bits);
    expect(await verifyBundle(folder)).toEqual([{ path, fault: 'mode', message }]);
  });

  it('notices only by the log a change with matching sums', async () => {
    const folder = copy();
    const log = join(folder, 'cmd-000.stdout.log');
    const sum = (text: string) => createHash('sha256').update(text).digest('hex');
    change(folder, 'cmd-000.stdout.log', (full) => writeFileSync(full, 'forged'));
    change(folder, 'SHA256SUMS', (full) =>
      writeFileSync(full, readFileSync(full, 'utf8').replace(sum('hello\n'), sum('forged'))),
    );
    expect(readFileSync(log, 'utf8')).toBe('forged');
    expect(await verifyBundle(folder)).toEqual([]);
    expect(await verifyBundle(folder, digest)).toMatchObject([{ path: 'SHA256SUMS', fault: 'changed' }]);
    expect(await vouchedFor(folder, digest)).toEqual(new Map());
  });

  it('ignores times, owners and further names elsewhere', async () => {
    const folder = copy();
    const log = join(folder, 'cmd-000.stdout.log');
    utimesSync(log, 1, 1);
    linkSync(log, fresh());
    if (process.getuid?.() === 0) chownSync(log, 1, 1);
    expect(await verifyBundle(folder, digest)).toEqual([]);
  });

  it('looks at nothing outside, whatever the sums say', async () => {
    const folder = copy();
    const outside = join(block.root, 'outside');
    writeFileSync(outside, 'x');
    const sum = createHash('sha256').update('x').digest('hex');
    change(folder, 'SHA256SUMS', (full) => {
      writeFileSync(full, `${sum}  ../outside\n${readFileSync(full, 'utf8')}`);
    });
    expect(await verifyBundle(folder)).toEqual([
      { path: '../outside', fault: 'missing', message: 'it does not exist any more' },
    ]);
    rmSync(outside);
  });
});
