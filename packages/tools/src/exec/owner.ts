/** Whether the process that opened an attempt is still alive, by host, process id and start time. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive } from '@woof/sandbox';

export interface Owner {
  host: string;
  pid: number;
  began: string;
}

export function ownMark(): Owner {
  return { host: hostname(), pid: process.pid, began: beginningOf(process.pid) };
}

/** Another machine's attempt on a shared disk may be in use: nobody here can tell. */
export function isOwned({ host, pid, began }: Owner): boolean {
  if (host !== hostname()) return true;
  return typeof pid === 'number' && isAlive(pid) && beginningOf(pid) === began && pid !== process.pid;
}

/** The start time: field 22 of `stat`, after a name that may contain anything. Unlike process ids, it is not reused. */
function beginningOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
