/** npm run bench: every promised figure with its limit. `npm run bench -- chain many`: only those; `peers` compares. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Figure, holds } from './figure.ts';
import { chainFigures } from './figures/chain.ts';
import { changeFigures } from './figures/changes.ts';
import { expressionFigures } from './figures/expressions.ts';
import { fanOutFigures, fanOutMemory } from './figures/fan-out.ts';
import { graphFigures } from './figures/graph.ts';
import { growthFigures } from './figures/growth.ts';
import { httpFigures } from './figures/http.ts';
import { httpChainFigures } from './figures/http-chain.ts';
import { largeValueFigures, loopMemory } from './figures/large-values.ts';
import { latencyFigures, poisonFigures } from './figures/latency.ts';
import { listFigures } from './figures/lists.ts';
import { logFigures } from './figures/logs.ts';
import { manyFigures } from './figures/many.ts';
import { manyMachinesFigures } from './figures/many-machines.ts';
import { endlessOutputFigures, largeNotebookFigures, notebookFigures } from './figures/notebook.ts';
import { oneFolderFigures } from './figures/one-folder.ts';
import { pythonFigures } from './figures/python.ts';
import { replayFigures } from './figures/replay.ts';
import { sandboxFigures } from './figures/sandbox.ts';
import { serverPathFigures } from './figures/server-path.ts';
import { slurmFigures } from './figures/slurm.ts';
import { startUpFigures } from './figures/start-up.ts';
import { studioLiveFigures } from './figures/studio-live.ts';
import { transferFigures } from './figures/transfer.ts';
import { workbookFigures } from './figures/workbook.ts';
import { workflowFigures } from './figures/workflow.ts';
import { comparePeers } from './peers/compare-peers.ts';

const GROUPS: Record<string, () => Promise<Figure[]>> = {
  chain: chainFigures,
  many: manyFigures,
  'many-machines': manyMachinesFigures,
  'server-path': serverPathFigures,
  latency: latencyFigures,
  poison: poisonFigures,
  'fan-out': fanOutFigures,
  'memory-10000': () => fanOutMemory(10_000),
  'memory-1000000': () => fanOutMemory(1_000_000),
  'large-values': largeValueFigures,
  'numbers-100000': () => loopMemory('numbers'),
  'stored-100000': () => loopMemory('stored rows'),
  logs: logFigures,
  lists: listFigures,
  growth: growthFigures,
  changes: changeFigures,
  replay: replayFigures,
  'start-up': startUpFigures,
  'one-folder': oneFolderFigures,
  workflow: workflowFigures,
  expressions: expressionFigures,
  python: pythonFigures,
  notebook: notebookFigures,
  'notebook-10000': largeNotebookFigures,
  'notebook-output': endlessOutputFigures,
  sandbox: sandboxFigures,
  http: httpFigures,
  'http-chain': httpChainFigures,
  transfer: transferFigures,
  slurm: slurmFigures,
  workbook: workbookFigures,
  'studio-live': studioLiveFigures,
  graph: graphFigures,
};

async function main(args: string[]): Promise<void> {
  const [flag, name = ''] = args;
  if (flag === '--measure') {
    process.stdout.write(JSON.stringify(await GROUPS[name]!()));
    return;
  }
  if (flag === 'peers') return comparePeers();
  const asked = args.filter((word) => !word.startsWith('--'));
  const unknown = asked.filter((word) => !(word in GROUPS));
  if (unknown.length > 0)
    throw new Error(`no figures "${unknown.join(', ')}"; there are: ${Object.keys(GROUPS).join(', ')}`);
  const figures: Figure[] = [];
  for (const group of asked.length > 0 ? asked : Object.keys(GROUPS)) {
    const measured = measure(group);
    for (const figure of [...measured, ...derived(measured, figures)]) {
      figures.push(figure);
      if (!args.includes('--json')) console.log(line(figure));
    }
  }
  if (args.includes('--json')) console.log(JSON.stringify(figures));
}

function measure(group: string): Figure[] {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--measure', group], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error(`measuring "${group}" ended with ${run.status}`);
  // JSON has no NaN, which marks figures that this machine cannot measure.
  const figures = JSON.parse(run.stdout) as (Figure & { value: number | null })[];
  return figures.map((figure) => ({ ...figure, value: figure.value ?? Number.NaN }));
}

/** Ratios of figures from two processes. */
const RATIOS = [
  { name: 'memory, 1,000,000 beside 10,000', atMost: 1.5, of: 'fan-out of 1000000', to: 'fan-out of 10000' },
  {
    name: 'memory, stored rows beside numbers',
    atMost: 1.4,
    of: '100,000 stored rows',
    to: '100,000 numbers',
  },
];

function derived(measured: readonly Figure[], before: readonly Figure[]): Figure[] {
  return RATIOS.flatMap(({ name, atMost, of, to }): Figure[] => {
    const above = measured.find((figure) => figure.name.endsWith(of));
    const below = before.find((figure) => figure.name.endsWith(to));
    return above && below ? [{ name, value: above.value / below.value, unit: '×', atMost }] : [];
  });
}

function line(figure: Figure): string {
  const verdict = { true: 'ok  ', false: 'MISS', undefined: '    ' }[String(holds(figure)) as 'true'];
  const limit =
    figure.atLeast !== undefined
      ? `≥ ${show(figure.atLeast)}`
      : figure.atMost !== undefined
        ? `≤ ${show(figure.atMost)}`
        : '';
  const aim = figure.aim === undefined ? '' : `(aim ${show(figure.aim)})`;
  const value = Number.isNaN(figure.value) ? 'not measured' : `${show(figure.value)} ${figure.unit}`;
  return `${verdict} ${figure.name.padEnd(42)} ${value.padEnd(22)} ${limit} ${aim} ${figure.note ?? ''}`.trimEnd();
}

function show(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

await main(process.argv.slice(2));
