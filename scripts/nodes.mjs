// The versions of Node that Woof supports, as npm packages with their hashes. The tests run on them, and the standalone
// archive contains one. They are kept in dist/nodes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../dist/nodes/', import.meta.url));

const NODES = {
  'linux-x64': {
    '20.20.2':
      'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    '22.23.3':
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    '24.21.0':
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    '20.20.2':
      'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
    '22.23.3':
      'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
    '24.21.0':
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

const here = `${process.platform}-${process.arch}`;
const majorOf = (version) => Number(version.split('.')[0]);

/** Every supported Node except the one that runs this: its version, its program, and whether it is already present. */
export function otherNodes() {
  return Object.keys(NODES[here] ?? {})
    .filter((version) => majorOf(version) !== majorOf(process.versions.node))
    .map((version) => ({ version, program: programOf(version), present: existsSync(programOf(version)) }));
}

/** The Node of this version and its licence, downloaded from the registry if missing. Throws if that fails. */
export function provideNode(version) {
  const integrity = NODES[here]?.[version];
  if (integrity === undefined) throw new Error(`no Node ${version} for ${here} on npm`);
  if (!existsSync(programOf(version))) download(version, integrity);
  return { program: programOf(version), licence: join(folder, version, 'LICENSE') };
}

const programOf = (version) => join(folder, version, 'bin', 'node');

/** Unpacked elsewhere and renamed, so that a concurrent reader finds everything or nothing. */
function download(version, integrity) {
  mkdirSync(folder, { recursive: true });
  const aside = mkdtempSync(join(folder, '.node-'));
  try {
    const tarball = pack(`node-${here}@${version}`, integrity, aside);
    const parts = ['package/bin/node', 'package/LICENSE'];
    run('tar', ['-xzf', tarball, '-C', aside, ...parts]);
    renameSync(join(aside, 'package'), join(folder, version));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function pack(name, integrity, destination) {
  const args = ['pack', name, '--json', '--ignore-scripts', '--pack-destination', destination];
  const [packed] = JSON.parse(run('npm', args));
  if (packed.integrity !== integrity) throw new Error(`${name} has another hash than the one we know`);
  return join(destination, packed.filename);
}

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const last = stderr?.trim().split('\n').at(-1);
  throw new Error(`${program} ${args[0]} failed: ${error?.message ?? last ?? `status ${status}`}`);
}
