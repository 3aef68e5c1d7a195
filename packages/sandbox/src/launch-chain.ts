/**
 * The chain of programs that leads to bubblewrap. Each replaces itself with the next by `exec`, so all are one process:
 * a shell joins the control groups (or sets resource limits if there are none), setpriv changes to an unprivileged
 * user, bubblewrap isolates.
 *
 * Invariant: none of them sees the task's environment. Otherwise a task could load a library (LD_PRELOAD) into a
 * process that is still root.
 */
import { realpathSync } from 'node:fs';
import { findProgram } from './find-program.ts';
import type { Identity } from './identity.ts';
import LAUNCH_CHAIN from './launch-chain.sh?raw';

export interface Chain {
  joinFiles: string[];
  identity?: Identity;
  /** Descriptors that must not reach the program. */
  closed?: number[];
  /** Used if there is no control group. */
  rlimits?: { addressSpaceBytes?: number; processes?: number };
}

export function launchChain(
  { joinFiles, identity, rlimits, closed = [] }: Chain,
  command: string[],
): string[] {
  const bytes = rlimits?.addressSpaceBytes;
  return [
    ...[...shellFor(closed), '-c', closed.map((fd) => `exec ${fd}>&-\n`).join('') + LAUNCH_CHAIN, 'sh'],
    bytes === undefined ? '' : String(Math.ceil(bytes / 1024)),
    rlimits?.processes === undefined ? '' : String(rlimits.processes),
    ...joinFiles,
    '--',
    ...(identity ? become(identity) : []),
    ...command,
  ];
}

/**
 * A POSIX shell can close only single-digit descriptors. Node gives a socket as standard input; bash takes that for a
 * login over the network and would read the user's .bashrc.
 */
function shellFor(closed: number[]): string[] {
  const bash = closed.some((fd) => fd > 9) ? findProgram('bash') : undefined;
  return bash ? [bash, '--norc', '-p'] : ['/bin/sh'];
}

function become({ uid, gid }: Identity): string[] {
  return [setpriv() ?? 'setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
}

/** Makes the kernel end the program when this process dies, as bubblewrap does: a killed process cannot do it. */
export function dyingWithParent(command: string[]): string[] {
  const program = setpriv();
  return program === undefined ? command : [program, '--pdeathsig', 'KILL', ...command];
}

/** The setpriv of util-linux. The one of busybox cannot change the user. */
export function setpriv(): string | undefined {
  const program = findProgram('setpriv');
  return program === undefined || realpathSync(program).endsWith('busybox') ? undefined : program;
}
