/**
 * The installed Jupyter kernels: folders that contain a `kernel.json`, in the places where Jupyter itself looks. Places
 * closer to the user hide those further away.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findInterpreter } from '@woof/sandbox/python-interpreter';

export interface Kernelspec {
  /** The name of its folder. Jupyter ignores case. */
  name: string;
  displayName: string;
  /** In lower case. */
  language: string;
  argv: string[];
  env: Record<string, string>;
  /** How it is interrupted: by SIGINT, or by a message. */
  interruptMode: 'signal' | 'message';
  folder: string;
}

type Environment = Record<string, string | undefined>;

export async function findKernelspecs(env: Environment = process.env): Promise<Kernelspec[]> {
  const found = new Map<string, Kernelspec>();
  for (const folder of await dataFolders(env)) {
    for (const spec of specsIn(join(folder, 'kernels'))) {
      const name = spec.name.toLowerCase();
      if (!found.has(name)) found.set(name, spec);
    }
  }
  return [...found.values()];
}

/** Finds a kernel by name, ignoring case. */
export function kernelspecNamed(specs: readonly Kernelspec[], name: string): Kernelspec | undefined {
  return specs.find((spec) => spec.name.toLowerCase() === name.toLowerCase());
}

/** For a language: the kernel of that name, otherwise the first one. */
export function kernelspecFor(specs: readonly Kernelspec[], language: string): Kernelspec | undefined {
  const wanted = language.toLowerCase();
  const fitting = specs.filter((spec) => spec.language === wanted);
  return kernelspecNamed(fitting, wanted) ?? fitting[0] ?? kernelspecNamed(specs, wanted);
}

async function dataFolders(env: Environment): Promise<string[]> {
  const home = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share');
  const python = await findInterpreter().catch(() => undefined);
  const prefixes = [env.VIRTUAL_ENV, python && dirname(dirname(python.executable)), '/usr/local', '/usr'];
  const folders = [
    ...(env.JUPYTER_PATH ?? '').split(':'),
    env.JUPYTER_DATA_DIR ?? join(home, 'jupyter'),
    ...prefixes.flatMap((prefix) => (prefix ? [join(prefix, 'share', 'jupyter')] : [])),
  ];
  return [...new Set(folders.filter((folder) => folder.startsWith('/')))];
}

function specsIn(folder: string): Kernelspec[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => readSpec(name, join(folder, name)) ?? []);
}

/** Undefined if it is not a kernel: the folder may contain files of other programs. */
function readSpec(name: string, folder: string): Kernelspec | undefined {
  try {
    const spec = JSON.parse(readFileSync(join(folder, 'kernel.json'), 'utf8')) as Record<string, unknown>;
    if (!isTexts(spec.argv) || spec.argv.length === 0) return undefined;
    return {
      ...{ name, folder, argv: spec.argv },
      displayName: String(spec.display_name ?? name),
      language: String(spec.language ?? '').toLowerCase(),
      env: textsOf(spec.env),
      interruptMode: spec.interrupt_mode === 'message' ? 'message' : 'signal',
    };
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
