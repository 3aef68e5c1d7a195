/**
 * Ends marked processes when this process dies, however it dies: a shell waits for the end of a pipe that only we hold
 * open.
 *
 * The kernel ends only the direct child of a dead parent (`pdeathsig`), not the processes that the child started.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** Several rounds, because a process may fork while the list is read. */
const SCRIPT = `cat > /dev/null
for round in 1 2 3; do
  for folder in /proc/[0-9]*; do
    if grep -qsF -- "$1" "$folder/environ"; then kill -9 "\${folder#/proc/}"; fi
  done
done 2> /dev/null`;

/** `mark`: a text that appears in the environment of exactly those processes. */
export function startDeathGuard(mark: string): void {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    // Ctrl-C in a terminal is meant for this process, not for the guard.
    detached: true,
  });
  guard.on('error', () => undefined);
  guard.unref();
  (guard.stdin as Socket).on('error', () => undefined).unref();
}
