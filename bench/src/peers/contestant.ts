/** One engine in the comparison: a process of `bench/peers`, with everything that it starts in one process group. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const NODES = fileURLToPath(new URL('../nodes/', import.meta.url));
/** Older versions cannot run a Restate service. */
const FIRST_MAJOR = 22;

export interface Engine {
  name: string;
  program: string;
  /** The npm packages whose versions are reported. */
  packages: string[];
  /** On Postgres, which keeps running when the engine is killed. */
  postgres?: boolean;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(killGroup));

export class Contestant {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    /** Where the process writes its error output. */
    private readonly errors: string,
    public settings = '',
  ) {}

  static async start(engine: Engine, folder: string, postgres?: string): Promise<Contestant> {
    const args = [join(FOLDER, engine.program), folder, ...(postgres === undefined ? [] : [postgres])];
    const errors = join(folder, 'errors.txt');
    const stderr = openSync(errors, 'a');
    const child = spawn(nodeProgram(), args, { stdio: ['pipe', 'pipe', stderr], detached: true });
    closeSync(stderr);
    running.add(child);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const contestant = new Contestant(child, lines, errors);
    contestant.settings = (await contestant.answer<{ settings: string }>(engine.name)).settings;
    return contestant;
  }

  async measure(work: string): Promise<number> {
    this.child.stdin!.write(`${work}\n`);
    return (await this.answer<{ value: number }>(work)).value;
  }

  kill(): void {
    running.delete(this.child);
    killGroup(this.child);
  }

  private async answer<T>(what: string): Promise<T> {
    const { value, done } = await this.lines.next();
    if (!done) return JSON.parse(value);
    const said = readFileSync(this.errors, 'utf8').slice(-2000);
    throw new Error(`${this.child.spawnargs[1]} ended during "${what}":\n${said}`);
  }
}

/** The same Node for all of them: this one, or a newer one that set-up installed. */
export function nodeProgram(): string {
  if (majorOf(process.versions.node) >= FIRST_MAJOR) return process.execPath;
  const newer = existsSync(NODES)
    ? readdirSync(NODES).find((version) => majorOf(version) >= FIRST_MAJOR)
    : undefined;
  if (newer !== undefined) return join(NODES, newer, 'bin', 'node');
  throw new Error(
    `The peers need Node ${FIRST_MAJOR} or newer; this is ${process.versions.node}. Run the benchmark on one, or run "npm run setup -- --test", which downloads one into dist/nodes.`,
  );
}

export function versionsOf({ packages }: Engine): string {
  return packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
}

/** If a package of the peers is missing, why none can be compared. */
export function missingPackage(engines: readonly Engine[]): string | undefined {
  const missing = engines.flatMap(({ packages }) => packages).find((name) => !existsSync(manifestOf(name)));
  if (missing === undefined) return undefined;
  return `The package ${missing} is not in bench/peers/node_modules. Install the peers with "npm ci --prefix bench/peers".`;
}

const majorOf = (version: string) => Number.parseInt(version, 10);

const manifestOf = (name: string) =>
  name === 'woof'
    ? join(FOLDER, '..', '..', 'package.json')
    : join(FOLDER, 'node_modules', name, 'package.json');

const versionOf = (name: string) =>
  (JSON.parse(readFileSync(manifestOf(name), 'utf8')) as { version: string }).version;

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}
