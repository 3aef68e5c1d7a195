/**
 * A small in-memory file system in a mount namespace of its own: only processes that enter the namespace see it, and it
 * disappears with the process that made it. Tests can fill it and free it again.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type RunAs, runAs } from './postgres-binaries.ts';

/** Closing its stdin, which also happens when the process that started it ends, ends it and the namespace. */
const HOLD = 'mount -t tmpfs -o "$1" woof-test "$2" && echo mounted && read -r _';
const PIECES = [1024 * 1024, 4096, 512];

/** Why this machine cannot make one; undefined if it can. */
export function smallDiskReason(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a small disk needs root on Linux';
  const tried = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'woof-test', '/mnt']);
  if (tried.status === 0 && spawnSync('nsenter', ['--version']).status === 0) return undefined;
  return `this machine mounts no small disk in a namespace of its own: ${tried.stderr ?? tried.error}`.trim();
}

export class SmallDisk {
  private constructor(
    private readonly holder: ChildProcess,
    /** Where processes inside see it. */
    readonly folder: string,
  ) {}

  /** `folder` must exist; outside the namespace it stays unchanged. */
  static async mount(folder: string, megabytes: number): Promise<SmallDisk> {
    const { uid = 0, gid = 0 } = runAs();
    const options = `size=${megabytes}m,mode=0700,uid=${uid},gid=${gid}`;
    const holder = spawn('unshare', ['-m', 'sh', '-c', HOLD, 'sh', options, folder]);
    holder.stdin.on('error', () => {});
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once('data', () => resolve());
      holder.once('exit', (code) => reject(new Error(`no small disk: unshare ended with ${code}`)));
    });
    holder.unref();
    return new SmallDisk(holder, folder);
  }

  /** Wraps a command so that it runs inside, as the database user. */
  inside(command: readonly string[], { uid = 0, gid = 0 }: RunAs = runAs()): string[] {
    const user = ['--setuid', String(uid), '--setgid', String(gid)];
    return ['nsenter', '--target', String(this.holder.pid), '--mount', ...user, '--', ...command];
  }

  /** The path by which this process reaches the file system. */
  outside(path = ''): string {
    return join(`/proc/${this.holder.pid}/root`, this.folder, path);
  }

  /** Takes all the space that is left. */
  fill(): void {
    const file = openSync(this.outside(BALLAST), 'a');
    try {
      for (const size of PIECES) fillWith(file, Buffer.alloc(size, 1));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.outside(BALLAST), { force: true });
  }

  end(): void {
    this.holder.stdin?.destroy();
  }
}

const BALLAST = 'ballast';

function fillWith(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  }
}
