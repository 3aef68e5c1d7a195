/**
 * The program of a Jupyter kernel, and the folders that it needs.
 *
 * Without shell, only the kernel's own program is visible. For Python and R, the folders are known; for any other
 * program, they are the ones beside it. A kernel that starts through a script needs the script's interpreter, hence
 * shell.
 */
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { findInterpreter, findProgram, type SandboxPolicy } from '@woof/sandbox';
import { findR, rEnvironment, rFolders } from '../r/find-r.ts';
import R_START from '../r/r-start.R?raw';
import type { Kernelspec } from './kernelspecs.ts';

export interface KernelProgram {
  argv: string[];
  env: Record<string, string>;
  readOnly: string[];
  /** Text by file name, written into the kernel's temporary folder. `{tmp}` in env stands for that folder. */
  files: Record<string, string>;
  notice?: string;
}

export async function kernelProgram(spec: Kernelspec, policy: SandboxPolicy): Promise<KernelProgram> {
  const [program = '', ...args] = spec.argv;
  const name = basename(program);
  if (name === 'R' && !isBinary(locate(spec, program))) return rProgram(args);
  if (/^python(\d(\.\d+)?)?$/.test(name)) return pythonProgram(program, args);
  const path = locate(spec, program);
  if (!policy.allow_shell && !isBinary(path)) throw new Error(scriptRefusal(spec, path));
  const readOnly = [spec.folder, path, ...foldersBeside(path)];
  return { argv: [path, ...args], env: {}, readOnly, files: {} };
}

async function pythonProgram(program: string, args: string[]): Promise<KernelProgram> {
  const { executable, folders, notice } = await findInterpreter(program.startsWith('/') ? program : '');
  return {
    argv: [executable, ...args],
    env: { MPLBACKEND: 'module://matplotlib_inline.backend_inline', PYTHONNOUSERSITE: '1' },
    readOnly: [...folders, realpathSync(executable)],
    files: {},
    ...(notice === undefined ? {} : { notice }),
  };
}

/** `R` itself is a shell script, so this does the same work. */
async function rProgram(args: string[]): Promise<KernelProgram> {
  const r = await findR();
  return {
    argv: [`${r.home}/bin/exec/R`, ...args],
    env: { ...rEnvironment(r), R_PROFILE_USER: '{tmp}/profile.R' },
    readOnly: rFolders(r),
    files: { 'profile.R': `local({${R_START}})\n` },
  };
}

function locate(spec: Kernelspec, program: string): string {
  const path = program.startsWith('/') ? program : findProgram(program);
  if (path !== undefined && existsSync(path)) return realpathSync(path);
  throw new Error(
    `the Jupyter kernel "${spec.name}" needs the program ${program}, which does not exist (${spec.folder}/kernel.json)`,
  );
}

function isBinary(path: string): boolean {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(2);
  readSync(file, head, 0, 2, 0);
  closeSync(file);
  return head.toString('latin1') !== '#!';
}

/** A separate prefix is shown as a whole; from a system prefix, only the folders with the program's name. */
function foldersBeside(path: string): string[] {
  const prefix = dirname(dirname(path));
  if (!['/', '/usr', '/usr/local'].includes(prefix)) return [prefix];
  const root = prefix === '/' ? '/usr' : prefix;
  return ['lib', 'share'].map((kind) => `${root}/${kind}/${basename(path)}`);
}

function scriptRefusal({ name }: Kernelspec, path: string): string {
  return (
    `the Jupyter kernel "${name}" starts through the script ${path}, which needs other programs: add sidefx=shell to its cells, ` +
    "and set io_policy.allow_shell: true in the notebook's header (or run with --allow shell)"
  );
}
