/** Ten trivial Python cells as a whole command: cold, warm, after an edit, and beside nbclient where it is installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, median } from '../figure.ts';

const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));
const CELLS = 10;
const ROUNDS = 9;

const bodyOf = (index: number) => (index === 0 ? 'x = 0' : `x += ${index}\nprint(x)`);

function notebookText(cache: string): string {
  const cells = Array.from(
    { length: CELLS },
    (_, index) => `\n\`\`\`cell id=c${index} type=code\n${bodyOf(index)}\n\`\`\`\n`,
  );
  return `%WOOFNB 1.0\nname: ten\nlanguage: python\nexecution: {order: linear, cache: ${cache}}\n${cells.join('')}`;
}

function ipynbText(): string {
  const cell = (index: number) => ({
    cell_type: 'code',
    id: `c${index}`,
    metadata: {},
    execution_count: null,
    outputs: [],
    source: bodyOf(index),
  });
  const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
  const cells = Array.from({ length: CELLS }, (_, index) => cell(index));
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: { kernelspec }, cells });
}

export async function notebookFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-notebook-'));
  writeFileSync(join(folder, 'ten.woofnb'), notebookText('content-hash'));
  writeFileSync(join(folder, 'plain.woofnb'), notebookText('none'));
  writeFileSync(join(folder, 'ten.ipynb'), ipynbText());
  const woof = (file: string) => timed(process.execPath, [WOOF, 'run', file, '--quiet'], folder);
  const forget = () => rmSync(join(folder, '.woof'), { recursive: true, force: true });
  woof('ten.woofnb');
  const plains: number[] = [];
  const colds: number[] = [];
  const warms: number[] = [];
  const peers: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    forget();
    plains.push(woof('plain.woofnb'));
    forget();
    colds.push(woof('ten.woofnb'));
    warms.push(woof('ten.woofnb'));
    if (round < 3) peers.push(nbclient(folder));
  }
  rmSync(folder, { recursive: true });
  return figures(median(plains), median(colds), median(warms), median(peers));
}

function figures(plain: number, cold: number, warm: number, peer: number): Figure[] {
  const known: Figure[] = [
    { name: 'ten Python cells, cold, sandboxed', value: plain, unit: 'ms' },
    { name: 'the same, filling the cache', value: cold, unit: 'ms' },
    { name: 'the same, warm', value: warm, unit: 'ms' },
    { name: 'filling the cache beside warm', value: cold / warm, unit: '×', atLeast: 6 },
  ];
  if (Number.isNaN(peer))
    return [...known, { name: 'nbclient', value: peer, unit: '', note: 'not installed' }];
  return [
    ...known,
    { name: 'the same ten cells with nbclient', value: peer, unit: 'ms' },
    { name: 'nbclient beside woof, cold', value: peer / plain, unit: '×', atLeast: 11 },
  ];
}

function timed(program: string, args: string[], cwd: string): number {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const started = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

/** NaN where Debian's python3-nbclient and python3-ipykernel are missing. */
function nbclient(folder: string): number {
  const code = 'import nbformat, nbclient; nbclient.NotebookClient(nbformat.read("ten.ipynb", 4)).execute()';
  const started = performance.now();
  const { status } = spawnSync('/usr/bin/python3', ['-c', code], { cwd: folder, stdio: 'ignore' });
  return status === 0 ? performance.now() - started : Number.NaN;
}
