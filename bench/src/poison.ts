/** Documents that want more than a server can hold. */
import type { Client } from '@woof/client';
import { pause } from './machines.ts';

const playbook = (name: string, step: string): string =>
  `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ${name}, path: ${name}}\nworkflow:\n  - step: start\n${step}`;

const parallel = (items: number, iterator: string): string =>
  `in: "{{ range(${items}) }}", iterator: ${iterator}, spec: {mode: parallel, max_in_flight: ${items}}`;

/** Most of what one template may compute. */
const SLOW = '{% for i in range(390) %}{% for j in range(390) %}{{ j }}{% endfor %}{% endfor %}';

/** By the path under which each is registered. */
export const POISON = {
  wide: playbook(
    'wide',
    `    loop: {${parallel(3000, 'a')}, loop: {${parallel(3000, 'b')}}}\n    tool: {kind: noop}\n`,
  ),
  deep: playbook(
    'deep',
    `    loop: {${parallel(1000, 'a')}, loop: {${parallel(1000, 'b')}, loop: {${parallel(1000, 'c')}}}}\n    tool: {kind: noop}\n`,
  ),
  split: playbook(
    'split',
    '    tool: {kind: noop}\n    next: {spec: {mode: inclusive}, arcs: [{step: start}, {step: start}]}\n',
  ),
  growing: playbook(
    'growing',
    `    set_ctx: {grown: "{{ ctx.grown | default([]) + ['x' * 60000] }}"}\n    tool: {kind: noop}\n    next: {arcs: [{step: start}]}\n`,
  ),
  guards: playbook(
    'guards',
    `    tool: {kind: noop}\n    next: {arcs: [${`{step: start, when: "${SLOW}{{ false }}"}, `.repeat(3)}{step: start}]}\n`,
  ),
  fork: playbook('fork', `    loop: {${parallel(1000, 'a')}}\n    tool: {kind: playbook, path: fork}\n`),
};

/** How long one of them runs until it is cancelled and started again, so that its end has an effect too. */
const LIFE_MS = 5000;

/** Keeps these documents running during `use`. */
export async function besidePoison<T>(
  client: Client,
  paths: readonly (keyof typeof POISON)[],
  use: () => Promise<T>,
): Promise<T> {
  let over = false;
  const keepRunning = async (path: string) => {
    while (!over) {
      const { execution_id: id } = await client.call('executions.start', { body: { path } });
      const until = performance.now() + LIFE_MS;
      while (!over && performance.now() < until && (await isRunning(client, id))) await pause(200);
      if (await isRunning(client, id)) await client.call('executions.cancel', { params: { id }, body: {} });
    }
  };
  const running = paths.map(keepRunning);
  try {
    return await use();
  } finally {
    over = true;
    await Promise.all(running);
  }
}

async function isRunning(client: Client, id: string): Promise<boolean> {
  const { ended_at } = await client.call('executions.row', { params: { id } });
  return ended_at === undefined;
}
