/**
 * The law of large values: a playbook means the same whatever is stored outside the log. Random playbooks run with different
 * `inline_max_bytes`, here and at servers, and after a crash; routing, results and `ctx` must be equal. Of stores that a playbook
 * names: e2e/tools/result-stores.test.ts.
 */
import { rmSync } from 'node:fs';
import { encodeJson, type Json, type JsonObject } from '@woof/net';
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startWoof, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from '../server/machines.ts';
import {
  draw,
  FILES,
  LIMITS,
  meaning,
  meaningHere,
  playbook,
  prepared,
  RUNS,
  SEED,
  written,
} from './any-size.ts';
import type { Account } from './run-playbook.ts';

describe(`playbooks of any size (WOOF_SEED=${SEED})`, () => {
  it('mean the same for every inline_max_bytes', async () => {
    const folder = prepared();
    for (const drawn of draw(RUNS)) {
      const [first, ...others] = await inTurn(LIMITS, (limit) => meaningHere(folder, playbook(drawn, limit)));
      for (const other of others) expect(other, JSON.stringify(drawn)).toEqual(first);
      expect(encodeJson(first as Json)).toContain('succeeded');
    }
  });

  it('pass values on as a whole, and store what "ref" refers to', async () => {
    const folder = prepared();
    const run = await folder.run(`
workload: {small: 5}
workbook:
  - {name: inner, tool: {kind: noop, result: "{{ args.n }} {{ args.more }} {{ args.store is defined }}"}}
  - {name: outer, tool: {kind: workbook, name: inner, args: {more: 1}}}
workflow:
  - step: start
    loop: {in: [1, 2], iterator: i}
    tool: {kind: noop, result: {v: "{{ iter.i }}", pad: "{{ 'x' * 70000 }}"}}
    next: {arcs: [{step: use, args: {whole: "{{ {'rows': start.results, 'all': {'rows': [], 'n': 0}, 'n': 7} }}"}}]}
  - step: use
    tool:
      - child: {kind: playbook, path: child.yaml, args: "{{ args.whole }}"}
      - named: {kind: workbook, name: outer, args: "{{ args.whole }}"}
      - got: {kind: artifact, uri: "{{ workload | ref }}"}
      - table: {kind: duckdb, tables: {t: "{{ start.results | ref }}"}, command: "SELECT sum(v) AS v, max(length(pad)) AS pad FROM t"}
      - all: {kind: noop, result: ["{{ child.result.sum }}", "{{ named }}", "{{ got.data }}", "{{ table.rows }}"]}
`);
    expect(run.steps.use!.result, JSON.stringify(run.error)).toEqual([
      3,
      '7 1 False',
      { small: 5 },
      [{ v: 3, pad: 70000 }],
    ]);
  });

  it('run again with one field of a stored value changed', async () => {
    const folder = prepared();
    await folder.run(`
workload: {cfg: {a: 1, pad: ${'p'.repeat(70_000)}}, other: 5}
workflow:
  - {step: start, tool: {kind: noop, result: "{{ workload.other }}"}, next: {arcs: [{step: use}]}}
  - {step: use, tool: {kind: noop, result: ["{{ workload.cfg.a }}", "{{ workload.cfg.pad | length }}"]}}
`);
    const { stdout } = await folder.woof('rerun', 'last', '--set', 'cfg.a=7', '--json');
    const account = JSON.parse(stdout.trim().split('\n').at(-1)!) as Account;
    expect(account.steps.use!.result).toEqual([7, 70_000]);
    const { stdout: runs } = await folder.woof('rerun', 'last', '--set', 'cfg.a=8', '--dry-run', '--json');
    expect(JSON.parse(runs)).toMatchObject({ reused: [{ step: 'start' }], runs: [{ step: 'use' }] });
  });

  it('mean the same after a crash', async () => {
    const drawn = draw(1)[0]!;
    const slow = (limit: number, store?: JsonObject) =>
      playbook(drawn, limit, store).replace(
        '- more: {kind: noop,',
        `- wait: {kind: python, spec: {io_policy: {allow_files: true}}, args: {make: "{{ make }}"}, code: "import os, time\\nwhile os.path.exists('hold'): time.sleep(0.02)\\nresult = {'n': make['n'], 'name': make['name'], 'rows': make['rows']}"}\n      - more: {kind: noop,`,
      );
    const expected = await meaningHere(prepared(), slow(LIMITS[3]!));
    // A folder of its own: "last" must not be the run before.
    const folder = prepared();
    folder.write('crash.yaml', written(slow(0, SEED % 2 === 0 ? FILES : undefined)));
    const hold = folder.write('hold', '');
    const running = startWoof(['run', 'crash.yaml', '--json'], { cwd: folder.path });
    await until('the slow task runs', async () =>
      (await folder.woof('events', 'last')).stdout.includes('wait'),
    );
    running.child.kill('SIGKILL');
    await running.ended;
    rmSync(hold);
    const { stdout } = await folder.woof('resume', 'last', '--json');
    const account = JSON.parse(stdout.trim().split('\n').at(-1)!) as Account;
    const { stdout: whole } = await folder.woof('result', account.execution_id, '--json');
    expect(meaning(account, whole), JSON.stringify(drawn)).toEqual(expected);
  });

  async function atServer(more: string[]): Promise<void> {
    const folder = prepared();
    const server = await startServer(folder.path, { more });
    await startWorker(server, folder.path);
    await ask(server, folder.path, 'submit', 'child.yaml', '--register');
    for (const drawn of draw(Math.ceil(RUNS / 5), 1)) {
      const expected = await meaningHere(folder, playbook(drawn, LIMITS[3]!));
      for (const limit of [LIMITS[0]!, LIMITS[2]!]) {
        const store = limit === 0 && SEED % 2 === 0 ? FILES : undefined;
        folder.write('far.yaml', written(playbook(drawn, limit, store)));
        const { stdout } = await ask(server, folder.path, 'submit', 'far.yaml', '--wait', '--json');
        const account = JSON.parse(stdout.trim().split('\n').at(-1)!) as Account;
        const { stdout: whole } = await ask(server, folder.path, 'result', account.execution_id, '--json');
        expect(meaning(account, whole), `${limit} ${JSON.stringify(drawn)}`).toEqual(expected);
      }
    }
  }

  it('mean the same at a server with a worker elsewhere', () => atServer([]));

  describeUnless(postgresReason())('with Postgres', () => {
    it('mean the same', async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.dispose());
      await atServer(['--store', postgres.url()]);
    });
  });
});

async function inTurn<T, R>(items: readonly T[], use: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await use(item));
  return results;
}
