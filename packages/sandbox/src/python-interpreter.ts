/**
 * Which Python runs untrusted code, and which folders it needs. Looked up once per path.
 *
 * A plain installation is recognised by its layout, because asking an interpreter costs as much as a kernel or a task.
 * Anything else (a shim on the PATH, a virtual environment) is asked once. The choice is the `python3` on the PATH. If
 * root starts the sandbox, it runs as an unprivileged user, so the choice is the first one that everybody may read, and
 * `notice` says so.
 */
import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isExecutable } from './find-program.ts';

export interface Interpreter {
  executable: string;
  /** Folders that must be visible, read-only. */
  folders: string[];
  /** Tells the user that this Python is not the first on the PATH, and why. */
  notice?: string;
}

const OLDEST = 9;

/** Where distributions keep files that numpy (its BLAS is a link there) and matplotlib need. */
const OF_LIBRARIES = [
  '/etc/alternatives',
  '/etc/matplotlibrc',
  '/etc/fonts',
  '/usr/share/matplotlib',
  '/usr/share/fonts',
];

const known = new Map<string, Promise<Interpreter>>();

/** The requested interpreter, or else the first `python3` on the PATH that can run there. */
export function findInterpreter(wanted = '', isolated = true): Promise<Interpreter> {
  const key = `${isolated} ${wanted}`;
  const found = known.get(key) ?? lookUp(wanted, isolated);
  known.set(key, found);
  return found;
}

async function lookUp(wanted: string, isolated: boolean): Promise<Interpreter> {
  const paths = wanted === '' ? candidates() : [wanted];
  if (wanted !== '' && !isExecutable(wanted))
    throw new Error(`the program ${wanted} does not exist: name a python3`);
  const [first] = paths;
  const asRoot = isolated && process.getuid?.() === 0;
  const path = asRoot ? (paths.find(readableByAll) ?? first) : first;
  if (path === undefined) throw new Error('python3 is not on the PATH: install the package python3');
  const found = recognised(path) ?? (await ask(path));
  return path === first ? found : { ...found, notice: replacement(first!, found.executable) };
}

function replacement(first: string, used: string): string {
  return (
    `the python3 on the PATH is ${first}, which the sandbox user cannot read, so Woof uses ${used} instead. To use ${first}, ` +
    'make its directories readable for everybody, or run Woof as their owner instead of root'
  );
}

function candidates(): string[] {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return [...folders, '/usr/bin'].map((folder) => `${folder}/python3`).filter(isExecutable);
}

/** The distribution's own Python, whose libraries are where every distribution puts them. */
function recognised(path: string): Interpreter | undefined {
  const real = realpathSync(path);
  const version = /^python3\.(\d+)$/.exec(basename(real));
  const plain = dirname(real) === '/usr/bin' && !existsSync(`${dirname(dirname(path))}/pyvenv.cfg`);
  if (!version || !plain || !isProgram(real)) return undefined;
  const name = basename(real);
  const folders = ['/usr/lib/python3', `/usr/lib/${name}`, `/usr/lib64/${name}`, `/usr/local/lib/${name}`];
  return checked(real, Number(version[1]), folders);
}

async function ask(path: string): Promise<Interpreter> {
  const { askInterpreter } = await import('./ask-interpreter.ts');
  const { executable, minor, paths } = await askInterpreter(path);
  const shared = ['', '/usr', '/usr/local'];
  return checked(executable, minor, outermost(paths.filter((folder) => !shared.includes(folder))));
}

function checked(executable: string, minor: number, folders: string[]): Interpreter {
  if (minor < OLDEST) throw new Error(`${executable} is Python 3.${minor}; Woof needs 3.${OLDEST} or newer`);
  return { executable, folders: [...folders, ...OF_LIBRARIES].filter((folder) => existsSync(folder)) };
}

/** A folder inside another one needs no mount of its own. */
function outermost(folders: string[]): string[] {
  return folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));
}

function isProgram(path: string): boolean {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(4);
  readSync(file, head, 0, 4, 0);
  closeSync(file);
  return head.toString('latin1') === '\x7fELF';
}

function readableByAll(path: string): boolean {
  for (let at = realpathSync(path); at !== '/'; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
  }
  return true;
}
