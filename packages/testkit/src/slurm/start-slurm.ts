/**
 * A real one-node Slurm in a temporary folder, for tests and benches: its own ports, its own key, its own munged. An
 * existing Slurm on the machine is not touched. Its controller can be killed and restarted; all of it ends with the
 * process that started it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../free-port.ts';
import { CGROUP_CONF, nodeName, slurmConf } from './slurm-settings.ts';

/** Where Debian puts programs that only an administrator starts. */
const PATH = `${process.env.PATH ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`;
const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel', 'scontrol', 'sinfo'];

/**
 * Closing its stdin, which also happens when this process ends, ends the jobs and then the daemons, and removes the
 * folder.
 */
const KEEPER = `read -r _
timeout 5 scancel --user=root --signal=KILL --full 2>/dev/null; timeout 5 scancel --user=root 2>/dev/null
# What a job started ends by its daemon, so that must outlive them.
timeout 10 sh -c 'while [ -n "$(squeue -h)" ]; do sleep 0.05; done' 2>/dev/null
for daemon in slurmd slurmctld munge/munged; do kill -9 "$(cat "$0/$daemon.pid")" 2>/dev/null; done
rm -rf "$0"
[ ! -d "$1" ] || find "$1" -depth -type d -exec rmdir {} +`;

export interface SlurmOptions {
  /** How many processors the node claims to have. */
  cpus?: number;
  /** Whether jobs that exceed their memory limit are killed; see `memoryReason`. */
  memory?: boolean;
}

/** Why this machine has no Slurm; undefined if it has one. */
export function slurmReason(): string | undefined {
  if (process.platform !== 'linux') return 'the Slurm of the tests needs Linux';
  if (process.getuid?.() !== 0) return 'the Slurm of the tests starts as root';
  const missing = PROGRAMS.filter((program) => !onPath(program));
  if (missing.length === 0) return undefined;
  return `no Slurm: ${missing.join(', ')} missing (Debian: slurm-wlm slurm-client munge)`;
}

/** Why a Slurm here cannot limit memory: it needs cgroup v1, and a cgroup name that no other Slurm uses. */
export function memoryReason(): string | undefined {
  const reason = slurmReason();
  if (reason !== undefined) return reason;
  if (!existsSync('/sys/fs/cgroup/memory/tasks')) return 'no control group of the first version for memory';
  if (existsSync(limitGroup())) return `another Slurm has ${limitGroup()}`;
  try {
    accessSync('/sys/fs/cgroup/memory', constants.W_OK);
    return undefined;
  } catch {
    return 'control groups cannot be made';
  }
}

function limitGroup(): string {
  return `/sys/fs/cgroup/memory/slurm_${nodeName()}`;
}

/** The node of every cluster here has the name of the machine. */
export { nodeName };

export async function startSlurm(options: SlurmOptions = {}): Promise<SlurmCluster> {
  const reason = slurmReason();
  if (reason !== undefined) throw new Error(reason);
  const folder = mkdtempSync(join(tmpdir(), 'woof-slurm-'));
  chmodSync(folder, 0o755);
  for (const name of ['munge', 'controller', 'node']) mkdirSync(join(folder, name), { mode: 0o755 });
  const ports = { controller: await freePort(), node: await freePort() };
  writeFileSync(
    join(folder, 'slurm.conf'),
    slurmConf(folder, ports, options.cpus ?? 8, options.memory ?? false),
  );
  writeFileSync(join(folder, 'cgroup.conf'), CGROUP_CONF);
  writeFileSync(join(folder, 'munge', 'key'), randomBytes(128), { mode: 0o600 });
  const cluster = new SlurmCluster(folder, options.memory ?? false);
  await cluster.start();
  return cluster;
}

export class SlurmCluster {
  /** What a process needs to talk to this cluster. */
  readonly env: { SLURM_CONF: string };
  private readonly keeper: ChildProcess;

  constructor(
    private readonly folder: string,
    memory: boolean,
  ) {
    this.env = { SLURM_CONF: join(folder, 'slurm.conf') };
    const options = {
      env: this.environment(),
      stdio: ['pipe', 'ignore', 'ignore'] as ['pipe', 'ignore', 'ignore'],
    };
    this.keeper = spawn('sh', ['-c', KEEPER, folder, memory ? limitGroup() : ''], {
      ...options,
      detached: true,
    });
    this.keeper.stdin!.on('error', () => {});
    this.keeper.unref();
    process.once('exit', this.end);
  }

  async start(): Promise<void> {
    const munge = (name: string) => join(this.folder, 'munge', name);
    this.must('munged', [
      `--socket=${munge('socket')}`,
      `--key-file=${munge('key')}`,
      `--pid-file=${munge('munged.pid')}`,
      `--log-file=${munge('log')}`,
      `--seed-file=${munge('seed')}`,
    ]);
    this.must('slurmctld', []);
    this.must('slurmd', []);
    await this.idle();
  }

  /** Runs one of Slurm's programs to its end. */
  run(program: string, ...args: string[]): string {
    return this.must(program, args);
  }

  /** As if the machine of the controller lost power. */
  async killController(): Promise<void> {
    const pid = this.controllerPid();
    process.kill(pid, 'SIGKILL');
    while (lives(pid)) await sleep(5);
  }

  async startController(): Promise<void> {
    this.must('slurmctld', []);
    await this.idle();
  }

  get log(): string {
    return ['slurmctld.log', 'slurmd.log'].map((name) => readIfThere(join(this.folder, name))).join('\n');
  }

  async dispose(): Promise<void> {
    const ended = new Promise((resolve) => this.keeper.once('exit', resolve));
    this.keeper.ref();
    this.end();
    await ended;
    process.off('exit', this.end);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  private readonly end = (): void => {
    this.keeper.stdin?.destroy();
  };

  private controllerPid(): number {
    return Number(readFileSync(join(this.folder, 'slurmctld.pid'), 'utf8'));
  }

  /** A controller that lost its state may consider its node down; then it is told to resume it. */
  private async idle(): Promise<void> {
    for (let attempt = 0; attempt < 400; attempt++) {
      const state = this.call('sinfo', ['-h', '-o', '%T']).stdout.trim();
      if (/^(idle|mixed|allocated)$/.test(state)) return;
      if (/drain|down/.test(state))
        this.call('scontrol', ['update', `nodename=${nodeName()}`, 'state=resume']);
      await sleep(50);
    }
    throw new Error(`Slurm does not come up:\n${this.log}`);
  }

  private must(program: string, args: string[]): string {
    const { status, stdout, stderr, error } = this.call(program, args);
    if (status === 0) return stdout;
    throw new Error(`${program} failed: ${stderr || error}\n${this.log}`);
  }

  private call(program: string, args: string[]) {
    return spawnSync(program, args, { env: this.environment(), cwd: this.folder, encoding: 'utf8' });
  }

  private environment(): NodeJS.ProcessEnv {
    return { ...process.env, PATH, ...this.env };
  }
}

function onPath(program: string): boolean {
  return PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A zombie process has ended too. */
function lives(pid: number): boolean {
  return /^\S+ \(.*\) [^Z]/.test(readIfThere(`/proc/${pid}/stat`));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
