/**
 * A podman of the tests' own: its store in a temporary folder, and one image, made of the Python of this machine.
 * Test-only; nothing is fetched.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const IMAGE = 'localhost/woof-test-python:latest';

/** Prints every file that a Python without packages needs, by absolute path. */
const FILES = String.raw`
import glob, os, re, subprocess, sys, sysconfig
stdlib = sysconfig.get_path('stdlib')
programs = [os.path.realpath(sys.executable), *glob.glob(stdlib + '/lib-dynload/*.so')]
found = subprocess.run(['ldd', *programs], capture_output=True, text=True).stdout
print('\n'.join([stdlib, '/bin/sh', programs[0], *sorted(set(re.findall(r'(/\S+\.so[.\d]*) \(', found)))]))
`;

export class Podman {
  readonly #folder = mkdtempSync(join(tmpdir(), 'woof-podman-'));
  readonly env: Record<string, string>;

  private constructor() {
    const at = (name: string) => join(this.#folder, name);
    const runtime = existsSync('/usr/bin/runc') || existsSync('/usr/sbin/runc') ? 'runtime = "runc"\n' : '';
    // Without the right to raise limits, an engine cannot give a container the higher ones it would choose.
    const limits = 'default_ulimits = ["nofile=1000:1000", "nproc=1000:1000"]';
    writeFileSync(
      at('containers.conf'),
      `[containers]\n${limits}\n[engine]\n${runtime}cgroup_manager = "cgroupfs"\nevents_logger = "none"\n`,
    );
    writeFileSync(
      at('storage.conf'),
      `[storage]\ndriver = "vfs"\ngraphroot = "${at('root')}"\nrunroot = "${at('run')}"\n`,
    );
    this.env = {
      CONTAINERS_CONF: at('containers.conf'),
      CONTAINERS_STORAGE_CONF: at('storage.conf'),
      // If Docker is installed too, it would be asked first.
      PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
    };
  }

  /** Starts podman with its image, or says why it cannot. */
  static start(): Podman | string {
    if (!existsSync('/usr/bin/podman')) return 'podman is not installed';
    const podman = new Podman();
    try {
      podman.#importImage();
      podman.run('run', '--rm', '--network', 'none', '--read-only', IMAGE, 'python3', '-c', 'import json');
      return podman;
    } catch (error) {
      podman.remove();
      const said = String((error as { stderr?: string }).stderr ?? error);
      return `podman cannot run containers here: ${said.trim().split('\n').at(-1)}`;
    }
  }

  run(...args: string[]): string {
    const env = { ...process.env, ...this.env };
    return execFileSync('/usr/bin/podman', args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  #importImage(): void {
    const python = execFileSync('/usr/bin/python3', ['-c', FILES], { encoding: 'utf8' });
    const files = python.trim().split('\n');
    const archive = join(this.#folder, 'image.tar');
    const program = files.find((file) => /python3\.\d+$/.test(file) && file.includes('/bin/'))!;
    const rename = `s,^${program.slice(1)}$,usr/bin/python3,`;
    const args = [
      '-C',
      '/',
      '-chf',
      archive,
      '--transform',
      rename,
      '--exclude=__pycache__',
      '--exclude=test',
    ];
    execFileSync('tar', [...args, ...files.map((file) => file.slice(1))], { stdio: 'ignore' });
    this.run('import', '--quiet', archive, IMAGE);
    rmSync(archive);
  }

  remove(): void {
    try {
      this.run('rm', '--all', '--force');
    } catch {
      // It never worked.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
