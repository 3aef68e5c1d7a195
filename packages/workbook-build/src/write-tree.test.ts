import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type Tree, temporaryTree } from './fixtures/temporary-tree.ts';
import { writeTree } from './write-tree.ts';

const file = (path: string, text = 'new', mode = 0o644) => ({ path, content: Buffer.from(text), mode });
const text = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');

/** The names of the folder and of everything beside it. */
function namesAround(folder: string): string[] {
  return readdirSync(dirname(folder));
}

describe('writeTree', () => {
  it('makes a folder, with modes', () => {
    const folder = join(dirname(temporaryTree({})), 'fresh');
    writeTree(folder, [file('a/b.sh', 'run', 0o751), file('c', 'secret', 0o600)]);
    expect(text(folder, 'a/b.sh')).toBe('run');
    expect(statSync(join(folder, 'a/b.sh')).mode & 0o777).toBe(0o751);
    expect(statSync(join(folder, 'c')).mode & 0o777).toBe(0o600);
    expect(namesAround(folder).sort()).toEqual(['fresh', 'site']);
  });

  it('accepts an empty folder, and an empty list of files', () => {
    const folder = temporaryTree({});
    writeTree(folder, [file('a')]);
    expect(readdirSync(folder)).toEqual(['a']);
    const none = join(dirname(folder), 'none');
    writeTree(none, []);
    expect(readdirSync(none)).toEqual([]);
  });

  it('adds to existing files', () => {
    const folder = temporaryTree({ 'a/b': 'old', 'a/keep': 'keep', other: 'other' });
    writeTree(folder, [file('a/b'), file('x/y/z')]);
    expect(['a/b', 'a/keep', 'other', 'x/y/z'].map((path) => text(folder, path))).toEqual([
      'new',
      'keep',
      'other',
      'new',
    ]);
    expect(namesAround(folder)).toEqual(['site']);
  });

  test.each<[string, Tree, string]>([
    ['a folder in the place of a file', { 'b/inside': 'kept' }, 'b is a directory there'],
    ['a file in the place of a folder', { x: 'kept' }, 'x is a file there'],
  ])('changes nothing because of %s', (_, tree, why) => {
    const folder = temporaryTree({ a: 'old', ...tree });
    const write = () => writeTree(folder, [file('a'), file('b'), file('x/y')]);
    expect(write).toThrow(why);
    expect(text(folder, 'a')).toBe('old');
    expect(namesAround(folder)).toEqual(['site']);
  });

  it('follows no link out of the folder', () => {
    const folder = temporaryTree({ a: 'old' });
    const outside = join(dirname(folder), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'target'), 'old');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'target'), join(folder, 'direct'));
    expect(() => writeTree(folder, [file('a'), file('link/file')])).toThrow('link is a link there');
    expect(readdirSync(outside)).toEqual(['target']);
    expect(text(folder, 'a')).toBe('old');
    writeTree(folder, [file('direct')]);
    expect(text(outside, 'target')).toBe('old');
    expect(text(folder, 'direct')).toBe('new');
  });

  it('accepts a folder inside one that it may not write to', () => {
    const folder = temporaryTree({});
    chmodSync(dirname(folder), 0o755);
    asNobody([folder], () => {
      if (process.getuid?.() !== 0) chmodSync(dirname(folder), 0o555);
      writeTree(folder, [file('a/b'), file('c')]);
    });
    chmodSync(dirname(folder), 0o755);
    expect(readdirSync(folder).sort()).toEqual(['a', 'c']);
    expect(text(folder, 'a/b')).toBe('new');
    expect(namesAround(folder)).toEqual(['site']);
  });

  it('restores everything if a place cannot be taken', () => {
    const folder = temporaryTree({ a: 'old', 'z/z': 'old' });
    // The second name is longer than any file system allows, which fails only when its turn comes.
    const write = () => writeTree(folder, [file('a'), file('n/m'), file(`z/${'x'.repeat(300)}`)]);
    expect(write).toThrow();
    expect(text(folder, 'a')).toBe('old');
    expect(existsSync(join(folder, 'n'))).toBe(false);
    expect(namesAround(folder)).toEqual(['site']);
  });

  it('undoes what it has moved when a later move fails', () => {
    const folder = temporaryTree({ a: 'old', 'locked/b': 'old' });
    chmodSync(join(folder, 'locked'), 0o555);
    asNobody(
      ['.', 'site', 'site/a', 'site/locked', 'site/locked/b'].map((path) => join(dirname(folder), path)),
      () => {
        expect(() => writeTree(folder, [file('a'), file('made/x'), file('locked/b')])).toThrow('EACCES');
      },
    );
    expect(readdirSync(folder).sort()).toEqual(['a', 'locked']);
    expect([text(folder, 'a'), text(folder, 'locked/b')]).toEqual(['old', 'old']);
    expect(namesAround(folder)).toEqual(['site']);
    chmodSync(join(folder, 'locked'), 0o755);
    writeTree(folder, [file('a'), file('made/x'), file('locked/b')]);
    expect([text(folder, 'a'), text(folder, 'locked/b')]).toEqual(['new', 'new']);
  });
});

/** Root may write everywhere, so the test acts as another user for a moment, who becomes the owner of the files. */
function asNobody(paths: readonly string[], act: () => void): void {
  if (process.getuid?.() !== 0) {
    act();
    return;
  }
  const nobody = 65534;
  for (const path of paths) chownSync(path, nobody, nobody);
  process.seteuid!(nobody);
  try {
    act();
  } finally {
    process.seteuid!(0);
  }
}
