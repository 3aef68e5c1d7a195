/**
 * The boundary itself: the arguments of bubblewrap.
 *
 * Invariants: only the size-limited temporary folders and, with files, the working directory are writable. Under /proc,
 * only the processes' own entries are writable. Without shell, the given program is the only visible one. Without
 * network, the only interface is a private loopback. There are no capabilities and no further user namespaces.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DEFAULT_TMP_BYTES, type SandboxSpec } from './sandbox-spec.ts';
import { type Mount, readOnly, systemMounts } from './system-layout.ts';

const SHM_BYTES = 64 * 1024 * 1024;

/** Entries of /proc that affect the whole machine and that root, their owner, can write without any capability. */
const PROC_OF_ROOT = ['sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'mtrr', 'driver'];

export interface BwrapSetting {
  /** Resolved. */
  workdir: string;
  /** The sandbox runs as root outside. */
  asRoot: boolean;
  seccompFd?: number;
}

export function bwrapArguments(spec: SandboxSpec, { workdir, asRoot, seccompFd }: BwrapSetting): string[] {
  const hidden = hiddenFolders(spec, workdir);
  const tmpBytes = spec.tmpBytes ?? DEFAULT_TMP_BYTES;
  return [
    '--unshare-all',
    ...(spec.policy.allow_network ? ['--share-net'] : []),
    ...['--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--uid', '65534', '--gid', '65534'],
    ...['--new-session', '--die-with-parent', '--hostname', 'sandbox', '--clearenv'],
    ...(seccompFd === undefined ? [] : ['--seccomp', String(seccompFd)]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...tmpfs('/dev/shm', Math.min(SHM_BYTES, tmpBytes)),
    ...tmpfs('/tmp', tmpBytes),
    ...['--symlink', '/tmp', '/var/tmp'],
    ...visibleMounts(spec, workdir).flatMap(toArguments),
    ...(isUnwritable(spec, workdir) ? ['--remount-ro', workdir] : []),
    ...['sys', 'pressure', ...(asRoot ? PROC_OF_ROOT : [])]
      .map((name) => `/proc/${name}`)
      .filter((path) => existsSync(path))
      .flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.flatMap((path) => [...tmpfs(path, 4096), ...shownWithin(path, spec), '--remount-ro', path]),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries(spec.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', spec.cwd ?? workdir],
  ];
}

/** A path that must be visible stays visible inside a hidden folder, such as an environment in the data directory. */
function shownWithin(hidden: string, { readOnly: paths = [] }: SandboxSpec): string[] {
  const inside = paths.filter((path) => path !== hidden && isWithin(path, hidden));
  return inside.flatMap(readOnly).flatMap(toArguments);
}

/** Parents before children, so that no mount hides another. */
export function visibleMounts(spec: SandboxSpec, workdir: string): Mount[] {
  const { allow_files, allow_network, allow_shell } = spec.policy;
  const program = spec.argv[0];
  const mounts: Mount[] = [
    ...systemMounts({ network: allow_network, shell: allow_shell }),
    ...(spec.readOnly ?? []).flatMap(readOnly),
    allow_files
      ? { kind: 'bind', source: workdir, target: workdir, writable: true }
      : { kind: 'empty', target: workdir },
  ];
  const shows = (path: string) =>
    mounts.some((mount) => mount.kind !== 'empty' && isWithin(path, mount.target));
  const real = realpathSync(program);
  if (!shows(real)) mounts.push(...readOnly(real));
  for (const link of linksTo(program, real)) if (!shows(link.target)) mounts.push(link);
  return mounts.sort((a, b) => depth(a.target) - depth(b.target));
}

/** Every symbolic link between a program and its file: the python of a virtual environment has two. */
function linksTo(program: string, real: string): Mount[] {
  const links: Mount[] = [];
  let at = program;
  while (at !== real && lstatSync(at).isSymbolicLink()) {
    const next = resolve(dirname(at), readlinkSync(at));
    links.push({ kind: 'symlink', source: next, target: at });
    at = next;
  }
  return at === real ? links : [...links, { kind: 'symlink', source: real, target: at }];
}

/** Only existing folders can be covered: bubblewrap would create missing ones in the real folder. */
function hiddenFolders(spec: SandboxSpec, workdir: string): string[] {
  if (!spec.policy.allow_files) return [];
  return [`${workdir}/.woof`, ...(spec.hidden ?? [])]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
    .filter((path) => path !== workdir && isWithin(path, workdir));
}

/** Without files, writes below a temporary folder would be lost silently. Elsewhere, the root is read-only. */
function isUnwritable({ policy }: SandboxSpec, workdir: string): boolean {
  return !policy.allow_files && workdir.startsWith('/tmp/');
}

function toArguments(mount: Mount): string[] {
  if (mount.kind === 'empty')
    return mount.target.startsWith('/tmp/') ? tmpfs(mount.target, 4096) : ['--dir', mount.target];
  if (mount.kind === 'symlink') return ['--symlink', mount.source, mount.target];
  return [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.target];
}

function tmpfs(path: string, bytes: number): string[] {
  return ['--size', String(Math.max(4096, Math.floor(bytes))), '--perms', '0755', '--tmpfs', path];
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length;
}
