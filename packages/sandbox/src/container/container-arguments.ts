/**
 * The boundary of a container: the arguments of docker or podman.
 *
 * Invariants, as for bubblewrap: only the size-limited temporary folder and, with files, the working directory are
 * writable. There is no network unless allowed. There are no capabilities and no way to gain one. Hidden folders are
 * covered. Unlike with bubblewrap, the programs of the image are visible even without shell.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isWithin } from '../bwrap-arguments.ts';
import type { Identity } from '../identity.ts';
import { DEFAULT_MAX_PROCESSES, DEFAULT_TMP_BYTES, type SandboxSpec } from '../sandbox-spec.ts';
import type { ContainerEngine } from './container-engine.ts';

export interface ContainerSpec extends Omit<SandboxSpec, 'argv' | 'cwd' | 'readOnly' | 'stdio' | 'isolate'> {
  image: string;
  /** The program, by a name on the image's PATH; the image's own program unless set. */
  program?: string;
  args: string[];
  /** In processors; unlimited unless set. */
  cpus?: number;
  /** If false, an image that is not present is not pulled. */
  pull?: boolean;
}

/** Where the program finds its channel's socket. */
export const CHANNEL_FOLDER = '/run/woof';
export const CHANNEL_SOCKET = `${CHANNEL_FOLDER}/channel`;

/** A registry, a path, a tag, a digest: never an option of the engine. */
const IMAGE = /^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/;

export interface ContainerSetting {
  engine: ContainerEngine['name'];
  /** The container's name, which `kill` uses. */
  container: string;
  /** The socket's folder on this machine, if there is a channel. */
  channel?: string;
  /** The file with the environment, because every user of the machine can see a command line. */
  envFile: string;
  /** An empty folder that covers hidden folders. A tmpfs would not do: podman copies into it what it covers. */
  empty: string;
  uid: number;
  gid: number;
}

export function containerArguments(spec: ContainerSpec, setting: ContainerSetting): string[] {
  const { image, policy, memoryMb, program, args } = spec;
  if (!IMAGE.test(image)) throw new Error(`"${image}" is not an image name`);
  const workdir = realpathSync(spec.workdir);
  const user = containerUser(spec, setting);
  const keepId = setting.engine === 'podman' && process.getuid?.() !== 0 ? ['--userns', 'keep-id'] : [];
  return [
    // A kill is immediate: podman's `rm --force` would wait for the program to end by itself.
    ...['run', '--rm', '--interactive', '--name', setting.container, '--stop-timeout', '0'],
    ...(policy.allow_network ? [] : ['--network', 'none']),
    ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--hostname', 'sandbox'],
    ...['--pids-limit', String(spec.maxProcesses ?? DEFAULT_MAX_PROCESSES)],
    ...(Number.isFinite(memoryMb) ? ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`] : []),
    ...['--user', `${user.uid}:${user.gid}`, ...keepId],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,mode=1777,size=${spec.tmpBytes ?? DEFAULT_TMP_BYTES}`],
    ...(setting.channel === undefined ? [] : bind(setting.channel, CHANNEL_FOLDER, 'readonly')),
    ...(policy.allow_files ? bind(workdir, workdir) : bind(setting.empty, workdir, 'readonly')),
    ...hiddenWithin(workdir, spec).flatMap((path) => bind(setting.empty, path, 'readonly')),
    ...['--workdir', workdir],
    ...['--env-file', setting.envFile],
    ...(spec.cpus === undefined ? [] : ['--cpus', String(spec.cpus)]),
    ...(spec.pull === false ? ['--pull', 'never'] : []),
    ...(program === undefined ? [] : ['--entrypoint', program]),
    image,
    ...args,
  ];
}

/** The environment as a file with one `NAME=value` per line. A variable that does not fit this format is refused. */
export function environmentFile(env: Record<string, string>): string {
  return Object.entries(env)
    .map(([name, value]) => {
      if (!/^[A-Za-z_]\w*$/.test(name))
        throw new Error(`"${name}" is not a valid name of an environment variable for a container`);
      if (/[\r\n\0]/.test(value))
        throw new Error(
          `the environment variable ${name} has several lines; a container accepts only one line per variable`,
        );
      return `${name}=${value}\n`;
    })
    .join('');
}

/** For root, the container runs as nobody, or as the owner of the files if it must write them. */
export function containerUser(
  { policy, workdir }: Pick<ContainerSpec, 'policy' | 'workdir'>,
  { uid, gid }: Identity,
): Identity {
  if (uid !== 0) return { uid, gid };
  if (!policy.allow_files) return { uid: 65534, gid: 65534 };
  const owner = statSync(workdir);
  return { uid: owner.uid, gid: owner.gid };
}

function bind(source: string, target: string, ...more: string[]): string[] {
  const odd = [source, target].find((path) => /[",\n]/.test(path));
  if (odd !== undefined)
    throw new Error(`a container cannot mount ${odd}: the path contains a comma, a quote or a line break`);
  return ['--mount', ['type=bind', `source=${source}`, `target=${target}`, ...more].join(',')];
}

function hiddenWithin(workdir: string, { policy, hidden = [] }: ContainerSpec): string[] {
  if (!policy.allow_files) return [];
  const real = [`${workdir}/.woof`, ...hidden]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path));
  return [...new Set(real)].filter((path) => path !== workdir && isWithin(path, workdir));
}
