/**
 * Private folders for data that passes between a task and its process. They are removed afterwards.
 *
 * Only the user who reads the data may enter: if root starts a sandbox, it runs as another user. The name says which
 * process made the folder, so that the next one removes what a crash left behind.
 */
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { chown, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf, isAlive, type SandboxPolicy } from '@woof/sandbox';

const PREFIX = 'woof-scratch-';
const NAME = /^woof-scratch-(\d+)-(\d+)-\w+$/;
let swept = false;

/** `reader`: the policy and folder of the sandbox that will see it. Omit it if only this process does. */
export async function makeScratch(reader?: { policy: SandboxPolicy; workdir: string }): Promise<string> {
  const root = await realpath(tmpdir());
  if (!swept) sweep(root);
  swept = true;
  const folder = await mkdtemp(join(root, `${PREFIX}${namespace()}-${process.pid}-`));
  const identity = reader && identityOf(reader.policy, reader.workdir);
  if (identity) await chown(folder, identity.uid, identity.gid);
  return folder;
}

/** Process ids are meaningful only within one namespace. */
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
      // It belongs to another user, or another process was faster.
    }
  }
}
