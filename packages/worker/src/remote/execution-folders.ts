/**
 * Where the code of executions that a server started runs: one folder per execution, owned by the worker. What a client
 * said about its own disk does not apply here.
 *
 * A folder is created up front for a job that runs code, so that the job can be handed back if there is no room for it.
 * For any other job it is created on request: most tasks never ask, and a disk may be slow. It is removed when its
 * execution has ended, or when nothing of it ran here for a while.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Assignment } from '@woof/net';
import { isAlive } from '@woof/tools';

const KEPT_IDLE_MS = 600_000;
const KEPT_ORPHAN_MS = 86_400_000;
const SWEEP_EVERY_MS = 60_000;
const OF_PROCESS = /^(.+)-(\d+)-[0-9a-f]{6}$/;
const SAFE = /^[\w.-]+$/;

interface Folder {
  path: string;
  isMade: boolean;
  busy: number;
  usedAt: number;
}

export class ExecutionFolders {
  private readonly folders = new Map<string, Folder>();
  private readonly timer: NodeJS.Timeout;
  private onIdle: (executionId: string) => Promise<void> = async () => {};

  /** Anything in `root` was left by an earlier worker and is not in use. */
  constructor(
    private readonly root: string,
    private readonly now: () => number = Date.now,
  ) {
    rmSync(root, { recursive: true, force: true });
    removeOrphans(root);
    this.timer = setInterval(() => this.sweep(), SWEEP_EVERY_MS);
    this.timer.unref();
  }

  /** The assignment as if its document were in the execution's folder. Throws if there is no room for code. */
  place(assignment: Assignment, runsCode: boolean): Assignment {
    const { execution_id: id, source, plan } = assignment;
    const folder = this.folder(id);
    if (runsCode) made(folder);
    folder.busy += 1;
    const name = typeof source.file === 'string' && !/[/\\]/.test(source.file) ? source.file : plan.name;
    const file = join(folder.path, name.replaceAll(/[^\w. -]/g, '_').replace(/^\.+/, '_') || 'document');
    const placed = {
      ...source,
      file,
      get folder() {
        return made(folder);
      },
    };
    return { ...assignment, source: placed };
  }

  /** A job of the execution is over here. */
  release(executionId: string): void {
    const folder = this.folders.get(executionId);
    if (folder === undefined) return;
    folder.busy -= 1;
    folder.usedAt = this.now();
  }

  ended(executionId: string): void {
    const folder = this.folders.get(executionId);
    if (folder === undefined) return;
    this.folders.delete(executionId);
    if (folder.isMade) rmSync(folder.path, { recursive: true, force: true });
  }

  /** Called when the folder of an idle execution is removed: a server may forget to report its end. */
  whenIdle(call: (executionId: string) => Promise<void>): void {
    this.onIdle = call;
  }

  close(): void {
    clearInterval(this.timer);
    rmSync(this.root, { recursive: true, force: true });
  }

  private folder(id: string): Folder {
    if (!SAFE.test(id) || /^\.+$/.test(id)) throw new Error(`"${id}" is not an execution id`);
    let folder = this.folders.get(id);
    if (folder === undefined) {
      folder = { path: join(this.root, id), isMade: false, busy: 0, usedAt: this.now() };
      this.folders.set(id, folder);
    }
    return folder;
  }

  private sweep(): void {
    for (const [id, { busy, usedAt }] of this.folders) {
      if (busy <= 0 && this.now() - usedAt > KEPT_IDLE_MS) {
        this.ended(id);
        void this.onIdle(id);
      }
    }
  }
}

function made(folder: Folder): string {
  if (!folder.isMade) mkdirSync(folder.path, { recursive: true });
  folder.isMade = true;
  return folder.path;
}

/**
 * Removes folders of workers of the same name, `name-pid-letters`, whose process has been gone for long. Newer ones
 * stay: what such a worker started on a cluster may still be working in its folder.
 */
function removeOrphans(root: string): void {
  const name = OF_PROCESS.exec(basename(root))?.[1];
  if (name === undefined || !existsSync(dirname(root))) return;
  for (const sibling of readdirSync(dirname(root))) {
    const [, other, pid] = OF_PROCESS.exec(sibling) ?? [];
    const path = join(dirname(root), sibling);
    if (other !== name || isAlive(Number(pid))) continue;
    if (Date.now() - statSync(path).mtimeMs > KEPT_ORPHAN_MS) rmSync(path, { recursive: true, force: true });
  }
}
