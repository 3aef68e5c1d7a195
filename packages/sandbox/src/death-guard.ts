/**
 * Ends marked processes when this process dies, however it dies: a shell waits for the end of a pipe that only we hold
 * open.
 *
 * The kernel ends only the direct child of a dead parent (`pdeathsig`), not the processes that the child started.
 */
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import DEATH_GUARD from './death-guard.sh?raw';

/** `mark`: a text that appears in the environment of exactly those processes. */
export function startDeathGuard(mark: string): void {
  const guard = spawn('/bin/sh', ['-c', DEATH_GUARD, 'sh', mark], {
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
