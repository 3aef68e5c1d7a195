/** A folder in which notebooks run as whole commands, timed or watched. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));

/** Loaded before Woof: counts the processes that it starts, and reports its peak memory. */
const WATCH = `const child = require('node:child_process');
let processes = 0;
const { spawn } = child;
child.spawn = (...args) => { processes += 1; return spawn(...args); };
process.once('exit', () => {
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  require('node:fs').writeFileSync(process.env.WOOF_BENCH_WATCH, JSON.stringify({ processes, peakBytes }));
});`;

export interface Watched {
  processes: number;
  peakBytes: number;
}

export class BenchFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'woof-notebook-'));

  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  /** Milliseconds. */
  woof(...args: string[]): number {
    return this.timed([WOOF, ...args]).ms;
  }

  /** Milliseconds of Node alone. */
  bareNode(): number {
    return this.timed(['-e', '0']).ms;
  }

  /** Milliseconds from the first to the last event of the latest run, according to its log. */
  lastRunMs(): number {
    const lines = this.timed([WOOF, 'events', 'last', '--json']).stdout.trim().split('\n');
    const [begun, ended] = [lines[0]!, lines.at(-1)!].map((line) =>
      Date.parse((JSON.parse(line) as { timestamp: string }).timestamp),
    );
    return ended! - begun!;
  }

  watched(...args: string[]): Watched {
    const told = join(this.path, 'watched.json');
    const script = this.write('watch.cjs', WATCH);
    this.timed(['--require', script, WOOF, ...args], { WOOF_BENCH_WATCH: told });
    return JSON.parse(readFileSync(told, 'utf8')) as Watched;
  }

  /** Removes the data directory with the cache. */
  forget(): void {
    rmSync(join(this.path, '.woof'), { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }

  private timed(args: string[], more: Record<string, string> = {}): { ms: number; stdout: string } {
    const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
    const options = {
      cwd: this.path,
      env: { ...env, ...more },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    } as const;
    const started = performance.now();
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    const ms = performance.now() - started;
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    return { ms, stdout };
  }
}

const FENCE = '```';

export function cellText(tokens: string, body: string): string {
  return `\n${FENCE}cell ${tokens}\n${body}\n${FENCE}\n`;
}

export function notebookText(header: string, cells: readonly string[]): string {
  return `%WOOFNB 1.0\nname: bench\nlanguage: python\n${header}\n${cells.join('')}`;
}

/** Milliseconds; NaN if Debian's Python lacks what the code imports. */
export function python(folder: string, code: string): number {
  const started = performance.now();
  const { status } = spawnSync('/usr/bin/python3', ['-c', code], { cwd: folder, stdio: 'ignore' });
  return status === 0 ? performance.now() - started : Number.NaN;
}
