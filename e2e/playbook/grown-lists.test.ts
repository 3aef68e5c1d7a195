/** A playbook that collects a list page by page, in a pipeline and from step to step. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startWoof, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from '../server/machines.ts';
import { written } from './any-size.ts';
import { Folder } from './run-playbook.ts';

const PAGES = 40;
const ROW = { id: 7, price: 1.5, whole: 1, tags: ['a', { deep: [true, null] }], text: 'x'.repeat(4000) };

/** Each form adds as many pages of two rows; then every iteration and one more step add a row. */
const collecting = (limit: number) =>
  written(`
executor: {spec: {result: {inline_max_bytes: ${limit}}}}
workload: {row: ${JSON.stringify(ROW)}}
workflow:
  - step: start
    tool:
      - page:
          kind: noop
          result: {n: "{{ ctx.n | default(0) + 1 }}", rows: ["{{ workload.row }}", {n: "{{ ctx.n | default(0) + 1 }}", price: 1.0, text: "${'y'.repeat(3000)}"}]}
          spec:
            policy:
              rules:
                - when: "{{ outcome.result.n == ${PAGES / 2} }}"
                  then: &grow {do: continue, set_ctx: {n: "{{ outcome.result.n }}", rows: "{{ ctx.rows | default([]) + outcome.result.rows }}"}, set_vars: {rows: "{{ vars.rows | default([]) + outcome.result.rows }}"}}
                - when: "{{ outcome.result.n < ${PAGES} }}"
                  then: {<<: *grow, do: jump, to: page}
                - else: {then: {<<: *grow, do: break}}
      - wait: {kind: python, spec: {io_policy: {allow_files: true}}, code: "import os, time\\nwhile os.path.exists('hold'): time.sleep(0.02)\\nresult = 1"}
      - again: {kind: noop, result: "{{ [vars.rows | length, ctx.rows == vars.rows] }}", spec: {policy: {rules: [{else: {then: {do: jump, to: page, set_iter: {same: "{{ outcome.result }}"}, set_ctx: {same: "{{ outcome.result }}"}}}}]}}}
    next: {arcs: [{step: step}]}
  - step: step
    tool: {kind: noop, result: {rows: ["{{ workload.row }}", {n: "{{ ctx.n + 1 }}", price: 1.0, text: "${'y'.repeat(3000)}"}]}}
    set_ctx: {n: "{{ ctx.n + 1 }}", rows: "{{ ctx.rows + step.rows }}"}
    next: {spec: {mode: exclusive}, arcs: [{step: step, when: "{{ ctx.rows | length < ${4 * PAGES} }}"}, {step: each}]}
  - step: each
    loop: {in: "{{ ctx.rows }}", iterator: row, spec: {mode: sequential}}
    tool: {kind: noop, result: "{{ row.id | default(row.n) }}", spec: {policy: {rules: [{else: {then: {do: continue, set_shared: {rows: {append: "{{ outcome.result }}"}}}}}]}}}
    set_ctx: {rows: "{{ ctx.rows + ['end'] }}"}
    next: {arcs: [{step: report}]}
  - step: report
    tool:
      - all: {kind: python, args: {rows: "{{ ctx.rows }}"}, code: "result = [len(args['rows']), sum(row['price'] for row in args['rows'] if isinstance(row, dict))]"}
      - ref: {kind: artifact, uri: "{{ ctx.rows | ref }}"}
      - give: {kind: noop, result: {all: "{{ all }}", same: "{{ ctx.same }}", ref: "{{ ref.data == ctx.rows }}", ids: "{{ each.results }}", rows: "{{ ctx.rows }}"}}
`);

const page = (n: number) => [ROW, { n, price: 1.0, text: 'y'.repeat(3000) }];
const ids = Array.from({ length: 2 * PAGES }, (_, at) => [7, at + 1]).flat();
const ROWS = [...ids.filter((_, at) => at % 2 === 1).flatMap(page), ...ids, 'end'];

function check(text: string): void {
  expect(JSON.parse(text)).toMatchObject({
    all: [ROWS.length, 2 * PAGES * 2.5],
    same: [PAGES, true],
    ref: true,
    ids,
    rows: ROWS,
  });
  // JavaScript does not distinguish 1.0 and 1.
  expect(text.split('"price":1.0,')).toHaveLength(2 * PAGES + 1);
}

function folder(limit = 64 * 1024): Folder {
  const made = new Folder();
  onTestFinished(() => made.dispose());
  made.write('paged.yaml', collecting(limit));
  return made;
}

function bytesIn(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

it.each([0, 1024, 64 * 1024])('collects all rows with %i bytes inline', async (limit) => {
  const here = folder(limit);
  await here.woof('run', 'paged.yaml');
  check((await here.woof('result', 'last', '--json')).stdout);
  expect(bytesIn(join(here.path, '.woof'))).toBeLessThan(8_000_000);
});

it('continues after a crash', async () => {
  const here = folder();
  const hold = here.write('hold', '');
  const running = startWoof(['run', 'paged.yaml', '--json'], { cwd: here.path });
  await until('the slow task runs', async () => (await here.woof('events', 'last')).stdout.includes('wait'));
  running.child.kill('SIGKILL');
  await running.ended;
  rmSync(hold);
  await here.woof('resume', 'last');
  check((await here.woof('result', 'last', '--json')).stdout);
});

it('passes the list on to a rerun', async () => {
  const here = folder();
  await here.woof('run', 'paged.yaml');
  await here.woof('rerun', 'last', '--from', 'report');
  await here.woof('gc');
  check((await here.woof('result', 'last', '--json')).stdout);
});

it('collects all rows at a server with a worker elsewhere', async () => {
  const { path } = folder();
  const server = await startServer(path, {});
  await startWorker(server, path);
  const { stdout } = await ask(server, path, 'submit', 'paged.yaml', '--wait', '--json');
  const { execution_id: id } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { execution_id: string };
  check((await ask(server, path, 'result', id, '--json')).stdout);
});
