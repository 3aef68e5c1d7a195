/** Which folders of this machine a program needs besides its own. Looked up once. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';

export type Mount =
  | { kind: 'bind'; source: string; target: string; writable: boolean }
  | { kind: 'symlink'; source: string; target: string }
  | { kind: 'empty'; target: string };

const MULTIARCH: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
};

/** Every bind adds about 0.13 ms to the start, so the lists are short. */
const DATA = ['/etc/ld.so.cache', '/usr/share/zoneinfo'];
const FOR_NETWORK = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/usr/share/ca-certificates',
];
const FOR_SHELL = ['/usr', '/etc/alternatives'];

const cache = new Map<string, Mount[]>();

export function systemMounts({ network, shell }: { network: boolean; shell: boolean }): Mount[] {
  const key = `${network} ${shell}`;
  const mounts = cache.get(key) ?? [
    ...(shell ? FOR_SHELL : libraries()).flatMap(readOnly),
    ...[...DATA, ...(network ? FOR_NETWORK : [])]
      .filter((path) => !shell || !path.startsWith('/usr/'))
      .flatMap(readOnly),
    ...localTime(),
    ...['/lib', '/lib32', '/lib64', '/libx32'].flatMap(topLevel),
    ...(shell ? ['/bin', '/sbin'].flatMap(topLevel) : []),
  ];
  cache.set(key, mounts);
  return mounts;
}

/** `/usr/lib` also contains programs (git-core, klibc's sh), so only its library folders are used if separate. */
function libraries(): string[] {
  const apart = `/usr/lib/${MULTIARCH[process.arch] ?? 'none'}`;
  return [existsSync(apart) ? apart : '/usr/lib', '/usr/lib64'];
}

/** The target keeps its name while the source is resolved: resolv.conf often points into /run. */
export function readOnly(path: string): Mount[] {
  if (!existsSync(path)) return [];
  return [{ kind: 'bind', source: realpathSync(path), target: path, writable: false }];
}

function localTime(): Mount[] {
  if (!existsSync('/etc/localtime')) return [];
  return [{ kind: 'symlink', source: realpathSync('/etc/localtime'), target: '/etc/localtime' }];
}

function topLevel(path: string): Mount[] {
  if (!existsSync(path)) return [];
  if (lstatSync(path).isSymbolicLink())
    return [{ kind: 'symlink', source: readlinkSync(path), target: path }];
  return readOnly(path);
}
