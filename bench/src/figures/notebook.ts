/** Ten trivial Python cells as a whole command: cold, warm, after an edit, and compared with Jupyter if installed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median } from '../figure.ts';
import { BenchFolder, cellText, notebookText, python } from '../notebook-folder.ts';

const CELLS = 10;
const ROUNDS = 9;

const bodyOf = (index: number) => (index === 0 ? 'x = 0' : `x += ${index}\nprint(x)`);
const bodies = Array.from({ length: CELLS }, (_, index) => bodyOf(index));

function ten(cache: string, last = bodies.at(-1)!): string {
  const cells = [...bodies.slice(0, -1), last].map((body, index) => cellText(`id=c${index} type=code`, body));
  return notebookText(`execution: {order: linear, cache: ${cache}}`, cells);
}

function ipynbText(): string {
  const cells = bodies.map((source, index) => ({
    ...{ cell_type: 'code', id: `c${index}`, metadata: {}, execution_count: null, outputs: [], source },
  }));
  const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
  return JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: { kernelspec }, cells });
}

const NBCLIENT =
  'import nbformat, nbclient; nbclient.NotebookClient(nbformat.read("ten.ipynb", 4)).execute()';
const JUPYTER_CACHE = `from jupyter_cache import get_cache
cache = get_cache(".jupyter_cache"); cache.change_cache_limit(10)`;
const FILL = `${JUPYTER_CACHE}
from jupyter_cache.executors import load_executor
cache.add_nb_to_project("ten.ipynb"); load_executor("local-serial", cache).run_and_cache()`;
const MATCH = `${JUPYTER_CACHE}
import nbformat; cache.merge_match_into_notebook(nbformat.read("ten.ipynb", 4))`;

type Measured = 'node' | 'plain' | 'cold' | 'coldLog' | 'warm' | 'warmLog' | 'nbclient' | 'matched';

export async function notebookFigures(): Promise<Figure[]> {
  const folder = new BenchFolder();
  folder.write('ten.woofnb', ten('content-hash'));
  folder.write('plain.woofnb', ten('none'));
  folder.write('ten.ipynb', ipynbText());
  const run = (file: string) => folder.woof('run', file, '--quiet');
  run('ten.woofnb');
  const times = new Map<Measured, number[]>();
  const note = (what: Measured, ms: number) => times.set(what, [...(times.get(what) ?? []), ms]);
  const cached = !Number.isNaN(python(folder.path, FILL));
  for (let round = 0; round < ROUNDS; round++) {
    note('node', folder.bareNode());
    folder.forget();
    note('plain', run('plain.woofnb'));
    folder.forget();
    note('cold', run('ten.woofnb'));
    note('coldLog', folder.lastRunMs());
    note('warm', run('ten.woofnb'));
    note('warmLog', folder.lastRunMs());
    if (round < 3) note('nbclient', python(folder.path, NBCLIENT));
    if (round < 3) note('matched', cached ? python(folder.path, MATCH) : Number.NaN);
  }
  const of = (what: Measured) => median(times.get(what)!);
  const counted = counts(folder);
  folder.remove();
  return [
    { name: 'ten Python cells, cold, sandboxed', value: of('plain'), unit: 'ms' },
    { name: 'the same, filling the cache', value: of('cold'), unit: 'ms' },
    { name: 'the same, warm', value: of('warm'), unit: 'ms' },
    { name: 'node -e 0 beside them', value: of('node'), unit: 'ms' },
    ...coldBesideWarm(of),
    ...counted,
    ...besideNbclient(of('nbclient'), of('plain'), of('warm')),
    ...besideJupyterCache(of('matched'), of('warm')),
  ];
}

/** The limit applies to the run: most of a warm command is the start of Node, which no cache makes faster. */
function coldBesideWarm(of: (what: Measured) => number): Figure[] {
  const [node, cold, warm] = [of('node'), of('cold'), of('warm')];
  const log = `${of('coldLog')} and ${of('warmLog')} ms`;
  return [
    {
      ...{ name: 'cold beside warm, the run by its log', value: of('coldLog') / of('warmLog') },
      ...{ unit: '×', atLeast: 6, note: log },
    },
    { name: 'cold beside warm, without the start of Node', value: (cold - node) / (warm - node), unit: '×' },
    { name: 'cold beside warm, the whole command', value: cold / warm, unit: '×' },
  ];
}

/** What a warm run, and a run after an edit, actually do. */
function counts(folder: BenchFolder): Figure[] {
  const warm = folder.watched('run', 'ten.woofnb', '--quiet');
  const kept = folder.write('ten.woofnb', ten('content-hash', 'print(x + 9)'));
  folder.woof('run', 'ten.woofnb', '--quiet');
  const lines = readFileSync(`${kept}.out`, 'utf8').trim().split('\n');
  const executed = lines.filter((line) => !(JSON.parse(line) as { cached?: boolean }).cached).length;
  return [
    { name: 'kernels that a warm run starts', value: warm.processes, unit: '', atMost: 0 },
    { name: 'cells that an edit of one leaf executes', value: executed, unit: '', atMost: 1 },
  ];
}

function besideNbclient(peer: number, plain: number, warm: number): Figure[] {
  if (Number.isNaN(peer)) {
    const note = 'not installed: apt install python3-nbclient python3-ipykernel';
    return [{ name: 'nbclient', value: peer, unit: '', note }];
  }
  return [
    { name: 'the same ten cells with nbclient', value: peer, unit: 'ms' },
    { name: 'nbclient beside woof, cold', value: peer / plain, unit: '×', atLeast: 11 },
    { name: 'nbclient beside woof, warm', value: peer / warm, unit: '×' },
  ];
}

function besideJupyterCache(peer: number, warm: number): Figure[] {
  if (Number.isNaN(peer)) {
    const note = 'not installed: Debian has no package, pip install jupyter-cache for /usr/bin/python3';
    return [{ name: 'jupyter-cache', value: peer, unit: '', note }];
  }
  return [
    { name: 'the same ten cells from jupyter-cache', value: peer, unit: 'ms' },
    { name: 'jupyter-cache beside woof, warm', value: peer / warm, unit: '×', atLeast: 6 },
  ];
}

const LARGE = 10_000;

/** Reading a notebook of 10,000 cells, as whole commands. */
export async function largeNotebookFigures(): Promise<Figure[]> {
  const folder = new BenchFolder();
  const cells = Array.from({ length: LARGE }, (_, index) =>
    index === 0
      ? cellText('id=c0 type=code', 'x0 = 0')
      : cellText(
          `id=c${index} type=code deps=c${index >> 1}`,
          `x${index} = x${index >> 1} + 1\nprint(x${index})`,
        ),
  );
  folder.write('large.woofnb', notebookText('execution: {order: graph}', cells));
  const timesOf = (...args: string[]) => median(Array.from({ length: 5 }, () => folder.woof(...args)));
  const lint = timesOf('lint', 'large.woofnb');
  const graph = timesOf('graph', 'large.woofnb', '--json');
  folder.remove();
  return [
    { name: 'lint of 10,000 cells', value: lint, unit: 'ms', atMost: 1000 },
    { name: 'graph of 10,000 cells', value: graph, unit: 'ms', atMost: 1000 },
  ];
}

/** A cell that prints 1 GB: what the runner holds in memory, and what it keeps. */
export async function endlessOutputFigures(): Promise<Figure[]> {
  const folder = new BenchFolder();
  const body = 'line = "x" * 999 + "\\n"\nimport sys\nfor _ in range(1000): sys.stdout.write(line * 1000)';
  const file = join(folder.path, 'loud.woofnb');
  writeFileSync(file, notebookText('', [cellText('id=loud type=code', body)]));
  const { peakBytes } = folder.watched('run', 'loud.woofnb', '--quiet');
  const kept = readFileSync(`${file}.out`).length;
  folder.remove();
  const mega = 1024 * 1024;
  return [
    { name: 'memory of the runner, 1 GB printed', value: peakBytes / mega, unit: 'MiB', atMost: 200 },
    { name: 'sidecar after 1 GB printed', value: kept / mega, unit: 'MiB', atMost: 12 },
  ];
}
