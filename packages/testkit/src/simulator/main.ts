/**
 * npm run simulate -- [--seeds 10000] [--from 1]: runs many seeds; a failing one is printed, shrunk, and printed again.
 */
import { parseArgs } from 'node:util';
import type { Shape } from './faults.ts';
import { shapeOf } from './shape-of.ts';
import { shrink } from './shrink.ts';
import { type Report, simulate } from './simulate.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string' }, from: { type: 'string' } } });
const from = Number(values.from ?? 1);
const seeds = Number(values.seeds ?? 1000);
if (!(Number.isInteger(from) && Number.isInteger(seeds) && seeds > 0)) {
  console.error('usage: npm run simulate -- --seeds 10000 --from 1');
  process.exit(2);
}

const begun = performance.now();
let events = 0;
let effects = 0;
let simulatedMs = 0;
let taken = 0;
let refused = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const report = await simulate(shapeOf(seed));
  events += report.events;
  effects += report.effects;
  simulatedMs += report.simulatedMs;
  taken += report.taken;
  refused += report.refused;
  if (report.violation) await tell(report);
  if ((seed - from + 1) % 500 === 0) console.error(`${seed - from + 1} of ${seeds} seeds`);
}
const seconds = (performance.now() - begun) / 1000;
const hours = Math.round(simulatedMs / 3_600_000);
console.log(
  `${seeds} seeds, ${events} events, ${effects} effects, ${taken} runs taken over, ${refused} resumes refused, ${hours} simulated hours in ${seconds.toFixed(0)} s: no violation`,
);

async function tell(report: Report): Promise<never> {
  console.error(`seed ${report.shape.seed}: ${report.violation}\n  ${inWords(report.shape)}`);
  console.error('making it smaller …');
  const smallest = await shrink(report);
  console.error(`smallest: ${smallest.violation}\n  ${inWords(smallest.shape)}`);
  console.error(`again: npm run simulate -- --from ${report.shape.seed} --seeds 1`);
  process.exit(1);
}

function inWords({ seed, faults, servers, near, workers, slots, ...shape }: Shape): string {
  const machines = `${servers} servers, ${near} near and ${workers} far workers of up to ${slots} slots`;
  const work = `${shape.executions} ${shape.wide ? 'wide ' : ''}executions of ${shape.kinds.join(', ')} tools`;
  const folder = `a folder with ${servers} servers and up to ${shape.processes} resumes at once`;
  return `seed ${seed}: ${shape.processes > 0 ? folder : machines}, ${work} within ${shape.troubledMs} ms: ${[...faults].join(', ') || 'quiet'}`;
}
