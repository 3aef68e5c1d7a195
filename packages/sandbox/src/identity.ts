/**
 * The user that the sandbox runs as outside, when root starts it.
 *
 * Inside, it is always uid 65534. Outside, it should not be root if that can be avoided: root owns `/proc/sys` and the
 * system's files even without any capability. Undefined means that the user stays the same.
 */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SandboxSpec } from './sandbox-spec.ts';

export interface Identity {
  uid: number;
  gid: number;
}

const NOBODY: Identity = { uid: 65534, gid: 65534 };

/** `visible`: the paths that will be bound, which that user must be able to reach. */
export function chooseIdentity(
  spec: Pick<SandboxSpec, 'policy'>,
  workdir: string,
  visible: string[],
): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const identity of spec.policy.allow_files ? [ownerOf(workdir), NOBODY] : [NOBODY]) {
    if (identity.uid === 0) continue;
    if (spec.policy.allow_files && !mayUse(identity, workdir, READ | WRITE)) continue;
    if (visible.every((path) => mayUse(identity, path, READ))) return identity;
  }
  return undefined;
}

const READ = 4;
const WRITE = 2;
const ENTER = 1;

function mayUse(identity: Identity, path: string, wanted: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return true;
  if (!allows(identity, stats, stats.isDirectory() ? wanted | ENTER : wanted)) return false;
  for (let above = dirname(path); above !== '/'; above = dirname(above)) {
    if (!allows(identity, statSync(above), ENTER)) return false;
  }
  return true;
}

function allows({ uid, gid }: Identity, stats: Stats, wanted: number): boolean {
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  return ((stats.mode >> shift) & wanted) === wanted;
}

function ownerOf(path: string): Identity {
  const { uid, gid } = statSync(path);
  return { uid, gid };
}
