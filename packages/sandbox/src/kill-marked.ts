/**
 * Ends processes by a variable in their environment. Without a sandbox or control group, this finds processes that left
 * their group and session. A process that also changed its environment escapes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 50;

/** Repeats until none is left, because a process may fork while the list is read. */
export async function killMarked(name: string, value: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = markedProcesses(name, value);
    if (found.length === 0) return;
    for (const pid of found) end(pid);
    await sleep(2);
  }
}

function markedProcesses(name: string, value: string): number[] {
  const mark = Buffer.from(`${name}=${value}\0`);
  return processes().filter((pid) => pid !== process.pid && environmentOf(pid)?.includes(mark));
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number);
  } catch {
    return [];
  }
}

/** Undefined for other users' processes and for those that have ended. */
function environmentOf(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
