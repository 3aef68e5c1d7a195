/** Whether this machine can isolate untrusted code. Tested once, by isolating a shell that does nothing. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { findProgram } from './find-program.ts';
import { spawnSandboxed } from './spawn-sandboxed.ts';

export interface SandboxProbe {
  available: boolean;
  reason?: string;
  fix?: string;
}

let cached: Promise<SandboxProbe> | undefined;

export function probeSandbox(): Promise<SandboxProbe> {
  cached ??= probe();
  return cached;
}

/** What a tool says when it refuses to run untrusted code. */
export function sandboxRefusal({ reason, fix }: SandboxProbe): string {
  return `untrusted code needs a sandbox and this machine has none: ${reason}. ${fix}, or run with --no-sandbox`;
}

async function probe(): Promise<SandboxProbe> {
  if (process.platform !== 'linux') {
    return missing(
      `bubblewrap runs only on Linux, and this system is ${process.platform}`,
      'Run on Linux or in a container',
    );
  }
  if (!findProgram('bwrap')) {
    return missing('bubblewrap is not installed', `Install it with \`${installCommand(osRelease())}\``);
  }
  const complaint = await tryOut();
  return complaint === undefined
    ? { available: true }
    : missing(`bubblewrap fails: ${complaint}`, advice(complaint));
}

function missing(reason: string, fix: string): SandboxProbe {
  return { available: false, reason, fix };
}

async function tryOut(): Promise<string | undefined> {
  try {
    const { child, exited } = spawnSandboxed({
      argv: ['/bin/sh', '-c', ':'],
      env: {},
      policy: { allow_files: false, allow_network: false, allow_shell: true },
      workdir: tmpdir(),
    });
    let complaint = '';
    child.stderr?.on('data', (chunk) => {
      complaint = (complaint + String(chunk)).slice(0, 500);
    });
    const { code } = await exited;
    return code === 0 ? undefined : complaint.trim() || `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Chooses by the distribution's `ID` and `ID_LIKE`. */
export function installCommand(release: string): string {
  const ids = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)/gm)].map((match) => match[1]).join(' ');
  if (/fedora|rhel|centos/.test(ids)) return 'sudo dnf install bubblewrap';
  if (/arch/.test(ids)) return 'sudo pacman -S bubblewrap';
  if (/alpine/.test(ids)) return 'sudo apk add bubblewrap';
  if (/suse/.test(ids)) return 'sudo zypper install bubblewrap';
  return 'sudo apt install bubblewrap';
}

export function advice(complaint: string): string {
  if (/disable-userns|Unknown option/i.test(complaint)) return 'Install bubblewrap 0.8 or newer';
  if (/namespace|uid map|Operation not permitted|Permission denied/i.test(complaint)) {
    return 'Allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0; in Docker --security-opt seccomp=unconfined)';
  }
  return 'Check this message and the output of `bwrap --version`';
}

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}
