import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ExecutionFolders } from './execution-folders.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'woof-folders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('removes an execution that has been idle for long, and keeps one that runs', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const root = join(temporaryFolder(), 'worker');
  const folders = new ExecutionFolders(root);
  const idle: string[] = [];
  folders.whenIdle(async (id) => void idle.push(id));
  for (const id of ['over', 'runs'])
    folders.place({ execution_id: id, source: {}, plan: { name: 'p' } } as never, true);
  folders.release('over');
  await vi.advanceTimersByTimeAsync(700_000);
  expect(idle).toEqual(['over']);
  expect(existsSync(join(root, 'over'))).toBe(false);
  expect(existsSync(join(root, 'runs'))).toBe(true);
  folders.close();
});

it('creates a folder for a job without code only when it asks for one', () => {
  const root = join(temporaryFolder(), 'worker');
  const folders = new ExecutionFolders(root);
  onTestFinished(() => folders.close());
  const job = { execution_id: 'e', source: { file: 'p.yaml' }, plan: { name: 'p' } } as never;
  const { source } = folders.place(job, false);
  expect(source.file).toBe(join(root, 'e', 'p.yaml'));
  expect(existsSync(join(root, 'e'))).toBe(false);
  expect(source.folder).toBe(join(root, 'e'));
  expect(existsSync(join(root, 'e'))).toBe(true);
  folders.ended('e');
  expect(existsSync(join(root, 'e'))).toBe(false);
});

it('removes folders of workers of the same name that were killed long ago, and keeps others', () => {
  const folder = temporaryFolder();
  const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
  const names = [
    `w-${gone}-abcdef`,
    `w-${process.pid}-abcdef`,
    `other-${gone}-abcdef`,
    `w-${gone}-recent`,
    'kept',
  ];
  for (const name of names) {
    mkdirSync(join(folder, name));
    // What it started on a cluster may still be working in a recently used folder.
    if (!name.endsWith('recent')) utimesSync(join(folder, name), 0, 0);
  }
  new ExecutionFolders(join(folder, `w-${process.pid}-000000`)).close();
  expect(names.filter((name) => existsSync(join(folder, name)))).toEqual(names.slice(1));
});
