/**
 * `artifacts/<cell>/` beside the notebook, for a cell that may use files. It exists while the cell runs, and afterwards
 * if it is not empty.
 */
import { chownSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Kernel } from '@woof/kernels';
import { holdFolder } from '@woof/tools/hold-folder';
import { removeEmptyFolders } from './beside.ts';
import { type CellCall, runOf } from './cell-call.ts';
import { artifactPath } from './sidecar.ts';

export async function inCellFolder<Result>(
  call: CellCall,
  kernel: Kernel,
  run: () => Promise<Result>,
): Promise<Result> {
  const { folder } = call.assignment.source;
  if (!runOf(call).declared.allow_files || typeof folder !== 'string') return run();
  const path = dirname(artifactPath(call.cell.id, 'any'));
  makeFolder(folder, path, kernel.user);
  try {
    return await run();
  } finally {
    removeEmptyFolders(folder, path);
  }
}

/**
 * If it cannot be created (a link is in its place, the parent is read-only), the cell gets the error when it writes.
 */
function makeFolder(folder: string, path: string, user: Kernel['user']): void {
  try {
    const held = holdFolder(folder, path, true);
    if (user !== undefined) chownSync(`${held.path}/.`, user.uid, user.gid);
    held.close();
  } catch {
    return;
  }
}
