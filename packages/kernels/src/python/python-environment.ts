/**
 * Virtual environments for `env.requirements`: one per set of requirements and interpreter, built once, never changed.
 *
 * Owns: the folders `<key>` below its root, and `.building-*`, which are renamed when they are complete. Invariant: a
 * folder that exists under its key contains everything that pip was asked for. If two builders run at once, both build,
 * the first to finish wins, and the other uses the result of the first.
 *
 * Environments add to what the interpreter has (`--system-site-packages`), and so does the check of requirements.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { findInterpreter } from '@woof/sandbox';

const BUILDING = '.building-';
const ABANDONED_MS = 24 * 60 * 60 * 1000;
const LONGEST_OUTPUT = 64 * 1024 * 1024;

/** A name, extras, then versions, an address or a condition: never a pip option, nor a path. */
const REQUIREMENT = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:\[[^\]]*\])?\s*(?:$|[=<>!~;@(])/;

export interface Environments {
  /** The folder that contains the environments. */
  root: string;
  requirements: readonly string[];
}

/** The environment's python, if it has been built. */
export async function findEnvironment(wanted: Environments): Promise<string | undefined> {
  if (wanted.requirements.length === 0) return undefined;
  const python = pythonOf(join(wanted.root, await environmentKey(wanted.requirements)));
  return existsSync(python) ? python : undefined;
}

/** Builds the environment if it is missing. Throws the messages of pip or of the venv module. */
export async function installEnvironment({ root, requirements }: Environments): Promise<string> {
  const odd = requirements.find((requirement) => !REQUIREMENT.test(requirement.trim()));
  if (odd !== undefined) throw new Error(`"${odd}" is not a requirement: expected a name and versions`);
  const { executable } = await findInterpreter();
  const folder = join(root, await environmentKey(requirements));
  if (existsSync(folder)) return pythonOf(folder);
  sweep(root);
  const building = mkdtempSync(join(root, BUILDING));
  try {
    await build(executable, join(building, 'env'), requirements);
    settle(join(building, 'env'), folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return pythonOf(folder);
}

/** A rebuilt interpreter at the same path is a different one. */
async function environmentKey(requirements: readonly string[]): Promise<string> {
  const real = realpathSync((await findInterpreter()).executable);
  const { size, mtimeMs } = statSync(real);
  const wanted = [...new Set(requirements.map((requirement) => requirement.trim()))].sort();
  return createHash('sha256')
    .update(JSON.stringify([real, size, mtimeMs, wanted]))
    .digest('hex')
    .slice(0, 32);
}

async function build(executable: string, folder: string, requirements: readonly string[]): Promise<void> {
  // The environment can use the interpreter's pip. Installing a separate one would take most of the time.
  const pip = (await hasPip(executable)) ? ['--without-pip'] : [];
  await run(executable, ['-I', '-m', 'venv', '--system-site-packages', ...pip, folder], 'venv', folder);
  const flags = ['--disable-pip-version-check', '--no-input', '--quiet', '--no-warn-script-location'];
  const words = requirements.map((requirement) => requirement.trim());
  await run(pythonOf(folder), ['-I', '-m', 'pip', 'install', ...flags, '--', ...words], 'pip', folder);
}

const HAS_PIP = 'import venv, ensurepip, importlib.util as u; print(u.find_spec("pip") is not None)';

/** Throws if the interpreter cannot create environments. */
async function hasPip(executable: string): Promise<boolean> {
  try {
    return (await promisify(execFile)(executable, ['-I', '-c', HAS_PIP])).stdout.trim() === 'True';
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? error);
    const missing = /No module named '(\w+)'/.exec(said)?.[1];
    if (missing === undefined) throw new Error(`${executable} does not work: ${lastLines(said)}`);
    const version = /^python3\.\d+$/.exec(basename(realpathSync(executable)))?.[0] ?? 'python3';
    throw new Error(
      `${executable} cannot create virtual environments because the module ${missing} is missing. On Debian and Ubuntu, install it with: apt install ${version}-venv (or python3-venv)`,
    );
  }
}

async function run(program: string, args: string[], what: string, folder: string): Promise<void> {
  try {
    // Not in the notebook's folder: a file name there is not a requirement.
    const cwd = what === 'pip' ? folder : '/';
    await promisify(execFile)(program, args, { cwd, maxBuffer: LONGEST_OUTPUT });
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as { stdout?: string; stderr?: string; message: string };
    throw new Error(`${what} failed: ${lastLines(`${stdout}\n${stderr}`) || message}`);
  }
}

function settle(built: string, folder: string): void {
  try {
    renameSync(built, folder);
  } catch (error) {
    // Another process was faster; its result is just as good.
    if (!existsSync(pythonOf(folder))) throw error;
  }
}

/** Removes what killed builders left. */
function sweep(root: string): void {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(BUILDING)) continue;
    const path = join(root, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) rmSync(path, { recursive: true, force: true });
  }
}

const pythonOf = (folder: string) => join(folder, 'bin', 'python3');

function lastLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.filter(Boolean).slice(-12).join('\n');
}
