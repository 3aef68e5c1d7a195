/** Whether the process that opened an attempt still lives: by host, process id and the time that it began. */
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

/** What another machine has on a shared disk may be in use: nobody here can tell. */
export function isOwned({ host, pid, began }: Owner): boolean {
  if (host !== hostname()) return true;
  return typeof pid === 'number' && isAlive(pid) && beginningOf(pid) === began && pid !== process.pid;
}

/** Field 22 of its `stat`, behind a name that may hold anything. Process ids are used again, this is not. */
function beginningOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
