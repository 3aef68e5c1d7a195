/**
 * Ends processes by a variable of their environment: where there is neither a sandbox nor a control group, that is how
 * those are found that left their group and session. One that also changed its environment gets away.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 50;

/** Again until nothing is left: one may fork while the list is read. */
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

/** Undefined for processes of others, and for those that ended. */
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
    // It ended by itself.
  }
}
