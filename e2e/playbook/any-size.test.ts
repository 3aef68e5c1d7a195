/**
 * The law of large values: a playbook means the same whatever is stored outside the log. Random playbooks run with different
 * `inline_max_bytes`, here and at servers, and after a crash; routing, results and `ctx` must be equal.
 */
import { describeUnless, postgresReason, startPostgres } from '@woof/testkit';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startWoof, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from '../server/machines.ts';
import { type Account, Folder } from './run-playbook.ts';

/** In bytes; the last is the most that may be set, and more than these playbooks make. */
const LIMITS = [0, 1024, 64 * 1024, 1024 * 1024];
const SEED = Number(process.env.WOOF_SEED ?? Date.now() % 1_000_000);

/** `WOOF_ANY_SIZE=100` draws as many playbooks. */
const RUNS = Number(process.env.WOOF_ANY_SIZE ?? 5);

const GUARDS = [
  'start.n > 3',
  'start.rows | length > 2',
  'start.rows and start.rows[0].v > 1',
  '(start.rows | map(attribute="v") | sum) > 6',
  '"b" in start.name',
  'start.name == "abc"',
  'start.deep.list[-1] > 1',
  'not start.rows',
  'start.missing is defined',
  'start.rows == start.copy',
  'event.payload.result.n in [1, 2, 3]',
];

interface Shape {
  n: number;
  name: string;
  rows: { v: number; pad: number }[];
  guards: string[];
  mode: string;
  loopIn: string;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  n: fc.integer({ min: 0, max: 6 }),
  name: fc.constantFrom('', 'abc', 'b', 'x'.repeat(40)),
  rows: fc.array(fc.record({ v: fc.integer({ min: 0, max: 4 }), pad: fc.constantFrom(0, 3, 700, 20_000) }), {
    maxLength: 9,
  }),
  guards: fc.array(fc.constantFrom(...GUARDS), { minLength: 2, maxLength: 2 }),
  mode: fc.constantFrom('sequential', 'parallel'),
  loopIn: fc.constantFrom('start.rows', 'args.rows', 'start.rows[:3]', 'workload.extra', 'start.deep'),
});

/** Values pass through results, arcs, args, loops, policies, ctx, named tasks and a nested playbook. */
function playbook({ n, name, rows, guards, mode, loopIn }: Shape, limit: number): string {
  const data = { n, name, rows: rows.map(({ v, pad }) => ({ v, pad: 'p'.repeat(pad) })) };
  return `
executor: {spec: {result: {inline_max_bytes: ${limit}}}}
workload: {extra: ${JSON.stringify(data.rows.slice(0, 2))}}
workbook:
  - {name: first, tool: {kind: noop, result: "{{ args.list[0] if args.list else none }}"}}
workflow:
  - step: start
    tool:
      - make: {kind: noop, result: ${JSON.stringify(data)}}
      - more: {kind: noop, result: {n: "{{ make.n }}", name: "{{ _prev.name }}", rows: "{{ make.rows }}", copy: "{{ results.make.rows }}", deep: {list: [1, 2, "{{ make.n }}"], last: "{{ make.rows | last | default(none) }}"}}}
    set_ctx: {seen: "{{ start.rows }}", grown: "{{ start.rows }}", n: "{{ start.n }}"}
    next:
      arcs:
        - {step: one, when: "{{ ${guards[0]!.replaceAll('"', "'")} }}", args: {rows: "{{ start.rows }}", n: "{{ start.n }}"}}
        - {step: two, when: "{{ ${guards[1]!.replaceAll('"', "'")} }}", args: {rows: "{{ start.copy }}"}}
        - {step: three, args: {rows: "{{ start.rows[1:] }}"}}
  - step: one
    loop: {in: "{{ ${loopIn} }}", iterator: row, spec: {mode: ${mode}}}
    args: {own: "{{ row }}"}
    tool:
      - take:
          kind: noop
          result: {row: "{{ iter.row }}", own: "{{ args.own }}", rows: "{{ args.rows | length }}"}
          spec:
            policy:
              rules:
                - when: "{{ outcome.result.rows > 4 and outcome.result.row.v | default(0) > 2 }}"
                  then: {do: continue, set_iter: {kept: "{{ outcome.result }}"}, set_shared: {many: {append: "{{ outcome.result.row }}"}, all: {merge: {last: {rows: "{{ ctx.seen | length }}"}}}}}
                - else: {then: {do: continue, set_shared: {few: {count: 1}, grown: {append: "{{ outcome.result.row }}"}}}}
      - give: {kind: noop, result: {before: "{{ _prev }}", kept: "{{ iter.kept | default(none) }}"}}
    next: {arcs: [{step: report}]}
  - step: two
    tool: {kind: playbook, path: child.yaml, args: {rows: "{{ args.rows }}", all: "{{ start }}"}}
    next: {arcs: [{step: report}]}
  - step: three
    tool: {kind: workbook, name: first, args: {list: "{{ args.rows }}"}}
    next: {arcs: [{step: report}]}
  - step: report
    tool:
      kind: noop
      result:
        ctx: "{{ ctx }}"
        start: "{{ start }}"
        one: "{{ one | default(none) }}"
        tasks: "{{ (one.results | map(attribute='before.own') | list) if one is defined else start.results.make }}"
        two: "{{ two.result if two is defined else none }}"
        three: "{{ three | default('none', true) }}"
        text: "{{ start.name }} {{ start.rows | tojson }}"
`;
}

const CHILD = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: child, path: child.yaml}
workload: {rows: [], all: {}}
executor: {spec: {result: {inline_max_bytes: 0}}}
workflow:
  - step: start
    tool: {kind: noop, result: {rows: "{{ workload.rows }}", sum: "{{ workload.rows | map(attribute='v') | sum }}"}}
    next: {arcs: [{step: many, when: "{{ workload.all.rows | length > 3 }}"}, {step: few}]}
  - step: many
    tool: {kind: noop, result: {many: "{{ start.rows }}", sum: "{{ start.sum }}"}}
  - step: few
    tool: {kind: noop, result: {few: "{{ workload.all.n }}", sum: "{{ start.sum }}"}}
`;

function prepared(): Folder {
  const folder = new Folder();
  onTestFinished(() => folder.dispose());
  folder.write('child.yaml', CHILD);
  return folder;
}

const written = (steps: string): string =>
  `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: test}\n${steps}`;

/** What a run came to: which steps ran how often, how they ended, and what the last one saw. */
function meaning(account: Account, whole: string): unknown {
  const steps = Object.entries(account.steps).map(([name, { status, runs, error }]) => [
    name,
    status,
    runs,
    error?.message,
  ]);
  return { status: account.status, error: account.error?.message, steps, result: whole && JSON.parse(whole) };
}

async function meaningHere(folder: Folder, steps: string): Promise<unknown> {
  const account = await folder.run(steps);
  const { stdout } = await folder.woof('result', account.execution_id, '--json');
  return meaning(account, stdout);
}

describe(`playbooks of any size (WOOF_SEED=${SEED})`, () => {
  it('mean the same for every inline_max_bytes', async () => {
    const folder = prepared();
    for (const drawn of fc.sample(shape, { numRuns: RUNS, seed: SEED })) {
      const [first, ...others] = await inTurn(LIMITS, (limit) => meaningHere(folder, playbook(drawn, limit)));
      for (const other of others) expect(other, JSON.stringify(drawn)).toEqual(first);
      expect(JSON.stringify(first)).toContain('succeeded');
    }
  });

  it('hand values on as a whole, and store what "ref" refers to', async () => {
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

  it('mean the same after a crash', async () => {
    const drawn = fc.sample(shape, { numRuns: 1, seed: SEED })[0]!;
    const slow = (limit: number, seconds: number) =>
      playbook(drawn, limit).replace(
        '- more: {kind: noop,',
        `- wait: {kind: python, args: {make: "{{ make }}"}, code: "import time; time.sleep(${seconds}); result = {'n': make['n'], 'name': make['name'], 'rows': make['rows']}"}\n      - more: {kind: noop,`,
      );
    const expected = await meaningHere(prepared(), slow(LIMITS[3]!, 0));
    // A folder of its own: "last" must not be the run before.
    const folder = prepared();
    folder.write('crash.yaml', written(slow(0, 1)));
    const running = startWoof(['run', 'crash.yaml', '--json'], { cwd: folder.path });
    await until('the slow task runs', async () =>
      (await folder.woof('events', 'last')).stdout.includes('wait'),
    );
    running.child.kill('SIGKILL');
    await running.ended;
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
    for (const drawn of fc.sample(shape, { numRuns: Math.ceil(RUNS / 5), seed: SEED + 1 })) {
      const expected = await meaningHere(folder, playbook(drawn, LIMITS[3]!));
      for (const limit of LIMITS) {
        folder.write('far.yaml', written(playbook(drawn, limit)));
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
