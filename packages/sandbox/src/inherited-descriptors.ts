import { readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

let cached: number[] | undefined;

/**
 * Descriptors that this process inherited from its parent and would pass on by accident, such as an open file of a
 * shell or supervisor. Everything that Node opens later is close-on-exec, so one look is enough.
 */
export function inheritedDescriptors(): number[] {
  cached ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && survivesExec(fd));
  return cached;
}

function survivesExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
