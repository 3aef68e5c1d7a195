import { arc, Driver, plan, step } from '@woof/testkit';
import { expect, it } from 'vitest';
import { evolve } from './evolve.ts';
import { keptBackBy } from './explain-guards.ts';
import { emptyState } from './state.ts';

it('reads of a large value only what it shows, with the text of the whole value', () => {
  let reads = 0;
  const item = (n: number) => ({
    get n() {
      reads += 1;
      return [n, { text: 'é"'.repeat(n) }];
    },
  });
  const rows = Array.from({ length: 5000 }, (_, n) => item(n));
  const whole = JSON.stringify(rows.slice(0, 100));
  const driver = new Driver(
    plan([step('start', { to: [arc('a', { when: '{{ workload.rows == 1 }}' })] }), step('a')]),
    { rows } as never,
  ).runAll();
  const state = emptyState(driver.state.execution_id, driver.state.plan);
  const said: string[] = [];
  for (const event of driver.events) {
    if (event.name === 'next.evaluated') {
      reads = 0;
      said.push(...keptBackBy(state, event).map(({ why }) => why));
    }
    evolve(state, event);
  }
  expect(said).toEqual([
    `arc from "start": {{ workload.rows == 1 }} is false (workload.rows = ${whole.slice(0, 79)}… (5000 items))`,
  ]);
  expect(reads).toBeLessThan(100);
});
