/**
 * Which Python runs tasks, and which folders it needs. Looked up once a path.
 *
 * The `python3` on the PATH may be a shim that costs more than the task, or live in root's home, where the
 * unprivileged user of the sandbox cannot read: root prefers one that everybody can.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

export interface Interpreter {
  executable: string;
  /** What must be visible, read-only. */
  folders: string[];
}

const ASK = `import json, sys, sysconfig
paths = [p for k, p in sysconfig.get_paths().items() if k in ('stdlib', 'platstdlib', 'purelib', 'platlib')]
print(json.dumps({'executable': sys.executable, 'prefixes': [sys.prefix, sys.base_prefix], 'paths': paths + sys.path}))`;

const known = new Map<string, Promise<Interpreter>>();

export function findInterpreter(wanted?: string): Promise<Interpreter> {
  const path = wanted ?? preferred(candidates());
  if (path === undefined)
    return Promise.reject(new Error('there is no python3 on the PATH: install Python 3'));
  const found = known.get(path) ?? ask(path);
  known.set(path, found);
  return found;
}

function candidates(): string[] {
  const folders = [
    ...(process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/')),
    '/usr/bin',
  ];
  return folders.map((folder) => `${folder}/python3`).filter(isExecutable);
}

function preferred(paths: string[]): string | undefined {
  if (process.getuid?.() !== 0) return paths[0];
  return paths.find(readableByAll) ?? paths[0];
}

async function ask(path: string): Promise<Interpreter> {
  const { stdout } = await promisify(execFile)(path, ['-I', '-c', ASK], { env: {}, encoding: 'utf8' });
  const answer = JSON.parse(stdout) as { executable: string; prefixes: string[]; paths: string[] };
  const own = answer.prefixes.filter((prefix) => prefix !== '/usr' && prefix !== '/usr/local');
  const folders = [...own, ...answer.paths].filter((folder) => statSync(folder, { throwIfNoEntry: false }));
  return { executable: answer.executable, folders: outermost([...new Set(folders)]) };
}

/** A folder within another needs no mount of its own. */
function outermost(folders: string[]): string[] {
  return folders.filter(
    (folder) => !folders.some((other) => other !== folder && folder.startsWith(`${other}/`)),
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readableByAll(path: string): boolean {
  for (let at = realpathSync(path); at !== '/'; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
  }
  return true;
}
