/** Stage workflows, as whole commands: the cost of a large graph, and the memory of a command with much output. */

import { type Figure, median } from '../figure.ts';
import { BenchFolder } from '../notebook-folder.ts';

const STAGES = 10_000;

export async function workflowFigures(): Promise<Figure[]> {
  const folder = new BenchFolder();
  folder.write('large.yaml', layers(STAGES));
  folder.write('small.yaml', layers(1));
  const times = (...args: string[]) => median([1, 2, 3].map(() => folder.woof(...args)));
  const plan = times('lint', 'large.yaml') - times('lint', 'small.yaml');
  const run = folder.woof('run', 'large.yaml', '--quiet') - folder.woof('run', 'small.yaml', '--quiet');
  folder.write('loud.yaml', LOUD);
  const { peakBytes } = folder.watched('run', 'loud.yaml', '--quiet');
  folder.remove();
  return [
    { name: '10,000 stages read, checked and planned', value: plan, unit: 'ms', atMost: 1000 },
    { name: 'what a stage adds to a run', value: run / STAGES, unit: 'ms', atMost: 2 },
    {
      name: 'memory of the worker, 2 GB written by a command',
      value: peakBytes / 1024 / 1024,
      unit: 'MiB',
      atMost: 150,
    },
  ];
}

/** A hundred parallel stages per layer, each depending on two of the previous layer. */
function layers(count: number): string {
  const stages: string[] = [];
  const edges: string[] = [];
  for (let index = 0; index < count; index++) {
    stages.push(`  - stage_id: s${index}\n    kind: noop\n`);
    if (index < 100) continue;
    const above = index - 100;
    const parents = index % 100 === 0 ? [above] : [above, above - 1];
    for (const parent of parents) edges.push(`  - from: s${parent}\n    to: s${index}\n`);
  }
  return `name: large\nstages:\n${stages.join('')}edges:${edges.length === 0 ? ' []\n' : `\n${edges.join('')}`}`;
}

const LOUD = `name: loud
stages:
  - stage_id: loud
    kind: exec_block
    config:
      workdir: .
      commands:
        - {program: head, args: [-c, "2000000000", /dev/zero]}
edges: []
`;
