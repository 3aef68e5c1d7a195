/**
 * A control group for one sandboxed process, in cgroup v1 or v2, whichever is writable.
 *
 * Owns: the directories `woof-<pid>-<n>` that it creates. Does not own, and never writes to, any other group: in
 * particular, it enables no controller in a parent.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type Hierarchies, ownHierarchies } from './cgroup-hierarchies.ts';
import { isAlive } from './is-alive.ts';

export interface Limits {
  /** Infinity: no limit yet; `changeMemory` may set one. */
  memoryBytes?: number;
  processes: number;
}

/** The shell that joins the group, bubblewrap outside, and bubblewrap's init inside. */
const OWN_PROCESSES = 3;
const REMOVE_TRIES = 50;

let created = 0;

export class LimitGroup {
  readonly #folders: string[] = [];
  #memoryFolder: string | undefined;

  /** Returns a group that enforces all the limits, or none: half of them would be worse than the caller's fallback. */
  static create(limits: Limits, hierarchies: Hierarchies = ownHierarchies()): LimitGroup | undefined {
    const group = new LimitGroup();
    try {
      group.#limitProcesses(limits.processes + OWN_PROCESSES, hierarchies);
      if (limits.memoryBytes === Infinity) group.#prepareMemory(hierarchies);
      else if (limits.memoryBytes !== undefined) group.#limitMemory(limits.memoryBytes, hierarchies);
      return group;
    } catch {
      group.#removeOnce();
      return undefined;
    }
  }

  /**
   * The files to which a single-threaded process writes 0 to join. In v1 that is `tasks`: the kernel then moves a
   * thread that cannot exit meanwhile, and does not have to stop all forks and exits on the machine, which takes up to
   * 25 ms.
   */
  get joinFiles(): string[] {
    return this.#folders.map((folder) =>
      existsSync(`${folder}/tasks`) ? `${folder}/tasks` : `${folder}/cgroup.procs`,
    );
  }

  /** True once the kernel has killed a member because of memory. */
  outOfMemory(): boolean {
    if (!this.#memoryFolder) return false;
    for (const file of ['memory.events', 'memory.oom_control']) {
      const text = readIfThere(`${this.#memoryFolder}/${file}`);
      if (text !== undefined) return !/^oom_kill 0$/m.test(text) && /^oom_kill /m.test(text);
    }
    return false;
  }

  /** Changes the memory limit of all members. `full`: they already use more than that. */
  changeMemory(bytes: number): 'done' | 'full' | 'impossible' {
    const folder = this.#memoryFolder;
    if (folder === undefined) return 'impossible';
    if (anonymousBytes(folder) > bytes) return 'full';
    try {
      writeMemoryLimit(folder, bytes);
      return 'done';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EBUSY' ? 'full' : 'impossible';
    }
  }

  members(): number[] {
    const text = readIfThere(`${this.#folders[0]}/cgroup.procs`) ?? '';
    return text.split('\n').filter(Boolean).map(Number);
  }

  /** Repeats until none is left, because a member may fork while the list is read. */
  async kill(): Promise<void> {
    for (let tries = 0; tries < REMOVE_TRIES; tries += 1) {
      const members = this.members();
      if (members.length === 0) return;
      for (const pid of members) signal(pid);
      await sleep(2);
    }
  }

  async remove(): Promise<void> {
    for (let tries = 0; tries < REMOVE_TRIES; tries += 1) {
      if (this.#removeOnce()) return;
      await this.kill();
      // A dead member leaves its group shortly after its parent was notified.
      if (tries > 0) await sleep(2 * tries);
      else await nextTurn();
    }
  }

  #removeOnce(): boolean {
    for (const folder of [...this.#folders]) {
      if (removed(folder)) this.#folders.splice(this.#folders.indexOf(folder), 1);
    }
    return this.#folders.length === 0;
  }

  #limitProcesses(most: number, { unified, pids }: Hierarchies): void {
    const folder = this.#folderIn(pids ?? unified);
    writeFileSync(`${folder}/pids.max`, most === Infinity ? 'max' : String(most), { flag: 'r+' });
  }

  /** A limit that may be set later is optional: if no group can be created, `changeMemory` reports it. */
  #prepareMemory(hierarchies: Hierarchies): void {
    try {
      this.#limitMemory(Infinity, hierarchies);
    } catch {
      this.#memoryFolder = undefined;
    }
  }

  #limitMemory(bytes: number, { unified, memory }: Hierarchies): void {
    const folder = this.#folderIn(memory ?? unified);
    this.#memoryFolder = folder;
    writeMemoryLimit(folder, bytes);
  }

  #folderIn(parent: string | undefined): string {
    if (parent === undefined) throw new Error('no such hierarchy');
    const there = this.#folders.find((folder) => folder.startsWith(`${parent}/woof-`));
    if (there) return there;
    created += 1;
    const folder = `${parent}/woof-${process.pid}-${created}`;
    mkdirSync(folder);
    this.#folders.push(folder);
    return folder;
  }
}

/** Removes groups that a killed Woof process left behind. The kernel refuses to remove those with a living member. */
export function sweepLeftGroups(hierarchies: Hierarchies = ownHierarchies()): void {
  for (const parent of new Set(Object.values(hierarchies))) {
    if (parent === undefined) continue;
    for (const name of readdirSync(parent)) {
      const pid = Number(/^woof-(\d+)-\d+$/.exec(name)?.[1]);
      if (pid && !isAlive(pid)) removed(`${parent}/${name}`);
    }
  }
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/** In v1 the limit including swap must never be below the limit without it, so it is raised first and lowered last. */
function writeMemoryLimit(folder: string, bytes: number): void {
  if (existsSync(`${folder}/memory.limit_in_bytes`)) {
    const text = bytes === Infinity ? '-1' : String(bytes);
    writeIfThere(`${folder}/memory.memsw.limit_in_bytes`, text);
    writeFileSync(`${folder}/memory.limit_in_bytes`, text, { flag: 'r+' });
    writeIfThere(`${folder}/memory.memsw.limit_in_bytes`, text);
  } else {
    writeFileSync(`${folder}/memory.max`, bytes === Infinity ? 'max' : String(bytes), { flag: 'r+' });
    writeIfThere(`${folder}/memory.swap.max`, bytes === Infinity ? 'max' : '0');
  }
}

/** Memory that the kernel cannot reclaim. v2 would kill the process because of it rather than refuse the limit. */
function anonymousBytes(folder: string): number {
  const stat = readIfThere(`${folder}/memory.stat`) ?? '';
  return Number(/^(?:total_rss|anon) (\d+)$/m.exec(stat)?.[1] ?? 0);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function writeIfThere(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'r+' });
  } catch {
    // Swap accounting is optional in the kernel.
  }
}
