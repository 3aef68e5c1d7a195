/**
 * Folders for what is on its way between a task and the process beside it: private, and removed.
 *
 * Only the user who reads it there may enter: started by root, a sandbox runs as somebody else. Its name says which process
 * made it, so that the next one removes what a crash left behind.
 */
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { chown, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, isAlive, type SandboxPolicy } from '@woof/sandbox';

const PREFIX = 'woof-scratch-';
const NAME = /^woof-scratch-(\d+)-(\d+)-\w+$/;
let swept = false;

/** `reader`: the policy and the folder of the sandbox that will see it; none where only this process does. */
export async function makeScratch(reader?: { policy: SandboxPolicy; workdir: string }): Promise<string> {
  const root = await realpath(tmpdir());
  if (!swept) sweep(root);
  swept = true;
  const folder = await mkdtemp(join(root, `${PREFIX}${namespace()}-${process.pid}-`));
  const identity = reader && identityOf(reader.policy, reader.workdir);
  if (identity) await chown(folder, identity.uid, identity.gid);
  return folder;
}

/** Numbers of processes mean something only within one. */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function sweep(root: string): void {
  const own = namespace();
  for (const name of readdirSync(root)) {
    const [, space, pid] = NAME.exec(name) ?? [];
    if (space !== own || isAlive(Number(pid))) continue;
    try {
      const path = join(root, name);
      if (lstatSync(path).isDirectory()) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another user's, or another process was quicker.
    }
  }
}
