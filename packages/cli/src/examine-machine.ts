/**
 * What the machine has: each finding is present, lacking (something optional does not work) or missing (nothing works).
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { findContainerEngine, findInterpreter, findProgram, probeSandbox } from '@woof/sandbox';
import { openDatabase, StoreError } from '@woof/stores';
import { holdsLog, locateData, openForReading } from './data-directory.ts';
import { fixFor, isInstalled, OPTIONAL_PACKAGES, SQLITE_FIX } from './optional-packages.ts';
import { wantsColor } from './terminal.ts';

export interface Finding {
  name: string;
  status: 'ok' | 'lacking' | 'missing';
  found: string;
  /** The command that fixes it. */
  fix?: string;
}

const run = promisify(execFile);
const LOW_DISK_BYTES = 1024 ** 3;
const OLDEST_NODE = [20, 18] as const;

export async function examine(dataFlag: string | undefined): Promise<Finding[]> {
  const probes = [
    node(),
    sqlite(),
    python(),
    r(),
    kernels(),
    sandbox(),
    cgroup(),
    git(),
    slurm(),
    nats(),
    containers(),
    packages(),
    data(dataFlag),
    terminal(),
  ];
  return Promise.all(probes);
}

async function node(): Promise<Finding> {
  const { node: version } = process.versions;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  if (!isOld) return { name: 'Node', status: 'ok', found: version };
  return {
    name: 'Node',
    status: 'missing',
    found: `${version} is too old`,
    fix: 'install Node 20.18 or newer',
  };
}

async function sqlite(): Promise<Finding> {
  try {
    const kind = isBuiltin('node:sqlite') ? 'part of Node' : 'from a package';
    const db = openDatabase(':memory:');
    const [row] = db.prepare('SELECT sqlite_version() AS version').all() as { version: string }[];
    db.close();
    return { name: 'SQLite', status: 'ok', found: `${row?.version} (${kind})` };
  } catch (error) {
    return {
      name: 'SQLite',
      status: 'missing',
      found: firstLine(error),
      fix: SQLITE_FIX,
    };
  }
}

async function python(): Promise<Finding> {
  const code = 'import sys; print(sys.executable, sys.version.split()[0])';
  // The one that tasks and cells use, which need not be the first on the PATH.
  const interpreter = await findInterpreter().catch(() => undefined);
  const found = interpreter && (await output(interpreter.executable, ['-c', code]));
  if (found && interpreter?.notice)
    return { name: 'Python', status: 'ok', found: `${found}: ${interpreter.notice}` };
  if (found) return { name: 'Python', status: 'ok', found };
  const fix = 'sudo apt install python3';
  return {
    name: 'Python',
    status: 'lacking',
    found: 'not installed: python tasks and cells cannot run',
    fix,
  };
}

async function r(): Promise<Finding> {
  const program = findProgram('Rscript');
  const found = program && (await output(program, ['--vanilla', '-e', 'cat(R.home(), R.version.string)']));
  if (found) return { name: 'R', status: 'ok', found };
  const fix = 'sudo apt install r-base-core';
  return { name: 'R', status: 'lacking', found: 'not installed: R cells cannot run', fix };
}

async function kernels(): Promise<Finding> {
  const { findKernelspecs } = await import('@woof/kernels');
  const specs = await findKernelspecs();
  const named = specs.map(({ name, language }) => `${name} (${language})`).join(', ');
  const found = named || 'none installed; only cells with kernel= need one';
  return { name: 'Jupyter kernels', status: 'ok', found };
}

async function sandbox(): Promise<Finding> {
  const { available, reason = '', fix } = await probeSandbox();
  if (available) return { name: 'Sandbox', status: 'ok', found: 'bubblewrap works' };
  const found = `${reason}; the code in documents runs only with --no-sandbox`;
  return { name: 'Sandbox', status: 'lacking', found, ...(fix === undefined ? {} : { fix }) };
}

async function cgroup(): Promise<Finding> {
  const isV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const writable = [isV2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory'].some(isWritable);
  const found = `${isV2 ? 'v2' : 'v1'}, ${writable ? 'writable' : 'not writable: prlimit sets memory limits instead'}`;
  return { name: 'cgroup', status: writable ? 'ok' : 'lacking', found };
}

async function git(): Promise<Finding> {
  const found = await output('git', ['--version']);
  if (found) return { name: 'git', status: 'ok', found };
  return { name: 'git', status: 'lacking', found: 'not installed', fix: 'sudo apt install git' };
}

async function slurm(): Promise<Finding> {
  const program = findProgram('sbatch');
  const none = 'not installed; only stages with executor.kind slurm need it';
  if (program === undefined) return { name: 'Slurm', status: 'ok', found: none };
  const found = await output(program, ['--version']);
  if (found) return { name: 'Slurm', status: 'ok', found };
  const fix = 'install the slurm.conf of the cluster, or set SLURM_CONF to its path';
  return { name: 'Slurm', status: 'lacking', found: `${program} does not reach a cluster`, fix };
}

/** Playbooks reach a server wherever it is; the tests start one here. */
async function nats(): Promise<Finding> {
  const program = findProgram('nats-server') ?? ['/usr/sbin/nats-server'].find(existsSync);
  const found = program && (await output(program, ['--version']));
  if (found) return { name: 'NATS', status: 'ok', found };
  const none =
    'no nats-server here; tasks of kind nats connect to servers elsewhere, and only the tests of Woof need one here';
  return { name: 'NATS', status: 'ok', found: none };
}

async function containers(): Promise<Finding> {
  try {
    const { name, program } = await findContainerEngine();
    return { name: 'Containers', status: 'ok', found: `${name} (${program})` };
  } catch (error) {
    const found = `${firstLine(error)}; tasks of kind container cannot run`;
    return { name: 'Containers', status: 'lacking', found, fix: 'start docker, or install podman' };
  }
}

async function packages(): Promise<Finding> {
  const missing = OPTIONAL_PACKAGES.filter((each) => !isInstalled(each));
  const name = 'Optional packages';
  if (missing.length === 0) return { name, status: 'ok', found: 'all installed' };
  const found = missing.map((each) => `no ${each.name} (needed by ${each.use})`).join('; ');
  return { name, status: 'lacking', found, fix: missing.map(fixFor).join('; ') };
}

async function data(flag: string | undefined): Promise<Finding> {
  const { path } = locateData(flag);
  const folder = nearestExisting(path);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${path}, ${(free / 1024 ** 3).toFixed(1)} GiB free`;
  if (!isWritable(folder)) {
    return {
      name: 'Data',
      status: 'missing',
      found: `${found}, not writable`,
      fix: 'choose another directory with --data DIR',
    };
  }
  const damage = await damageOf(flag);
  if (damage !== undefined) {
    const fix = 'restore woof.db from a backup, or choose another directory with --data DIR';
    return { name: 'Data', status: 'missing', found: `${path}: ${damage}`, fix };
  }
  if (free >= LOW_DISK_BYTES) return { name: 'Data', status: 'ok', found };
  return {
    name: 'Data',
    status: 'lacking',
    found,
    fix: 'free some space, or choose a directory on another disk with --data DIR',
  };
}

/** Why the runs here cannot be read; undefined if they can, or if there are none. */
async function damageOf(flag: string | undefined): Promise<string | undefined> {
  if (!holdsLog(locateData(flag))) return undefined;
  try {
    const { store } = openForReading(flag);
    await store.executions({ limit: 1 });
    await store.close();
    return undefined;
  } catch (error) {
    // The next run updates an older schema.
    return error instanceof StoreError && error.fault === 'unreadable' ? undefined : firstLine(error);
  }
}

async function terminal(): Promise<Finding> {
  const { isTTY, columns, rows } = process.stdout;
  const kind = isTTY ? `${columns}×${rows}` : 'none (output goes to a file or a pipe)';
  return {
    name: 'Terminal',
    status: 'ok',
    found: `${kind}, colours ${wantsColor(process.stdout) ? 'on' : 'off'}`,
  };
}

async function output(command: string, args: string[]): Promise<string | undefined> {
  try {
    return (await run(command, args, { timeout: 20_000 })).stdout.trim();
  } catch {
    return undefined;
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function firstLine(error: unknown): string {
  return (error as Error).message.split('\n')[0] ?? '';
}
