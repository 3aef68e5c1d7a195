import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundleFile } from '@woof/documents/workbook';
import { describe, expect, it, test } from 'vitest';
import { compareSources } from './compare-sources.ts';
import { temporaryTree } from './fixtures/temporary-tree.ts';
import type { OpenBundle } from './open-bundle.ts';

const FILES: BundleFile[] = [
  { path: 'a.txt', content: Buffer.from('one'), mode: 0o644 },
  { path: 'deep/large.bin', originalSize: 4, mode: 0o644 },
];
const BUNDLE: OpenBundle = { createdAt: '', rootName: 'site', kind: 'spa', files: FILES };
const tree = () => temporaryTree({ 'a.txt': 'one', 'deep/large.bin': '1234' });
const none = { inSync: true, modified: [], added: [], removed: [] };

describe('compareSources', () => {
  it('finds no difference in the same tree, nor in what no bundle includes', () => {
    const folder = tree();
    writeFileSync(join(folder, '.env'), 'x');
    writeFileSync(join(folder, 'page.html'), 'x');
    symlinkSync('a.txt', join(folder, 'link'));
    chmodSync(join(folder, 'a.txt'), 0o600);
    expect(compareSources(BUNDLE, folder, (path) => path === 'page.html')).toEqual(none);
  });

  it('ignores the neighbours of a notebook, but not the outputs of a run', () => {
    const folder = temporaryTree({
      'a.woofnb': 'one',
      'other.woofnb': 'x',
      'other.woofnb.out': 'x',
      'data.csv': 'x',
    });
    const files = [{ path: 'a.woofnb', content: Buffer.from('one'), mode: 0o644 }];
    const bundle: OpenBundle = { ...BUNDLE, kind: 'notebook', files };
    expect(compareSources(bundle, folder)).toEqual(none);
    writeFileSync(join(folder, 'a.woofnb.out'), '');
    expect(compareSources(bundle, folder)).toEqual({ ...none, inSync: false, added: ['a.woofnb.out'] });
  });

  test.each<[string, (folder: string) => void, object]>([
    ['other content', (folder) => writeFileSync(join(folder, 'a.txt'), 'two'), { modified: ['a.txt'] }],
    [
      'another size of what was too large',
      (folder) => writeFileSync(join(folder, 'deep/large.bin'), '1'),
      { modified: ['deep/large.bin'] },
    ],
    ['a file that may be run', (folder) => chmodSync(join(folder, 'a.txt'), 0o755), { modified: ['a.txt'] }],
    ['a new file', (folder) => writeFileSync(join(folder, 'deep/new'), ''), { added: ['deep/new'] }],
    ['a file that is gone', (folder) => rmSync(join(folder, 'a.txt')), { removed: ['a.txt'] }],
    [
      'a link in the place of a file',
      (folder) => {
        rmSync(join(folder, 'a.txt'));
        symlinkSync('deep/large.bin', join(folder, 'a.txt'));
      },
      { removed: ['a.txt'] },
    ],
  ])('finds %s', (_, change, drift) => {
    const folder = tree();
    change(folder);
    expect(compareSources(BUNDLE, folder)).toEqual({ ...none, inSync: false, ...drift });
  });
});
