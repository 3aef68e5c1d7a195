/** Random playbooks in which values pass through everything that passes values on, and the meaning of a run of one. */
import { decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import { type Account, Folder } from './run-playbook.ts';

/** In bytes; the last is the most that may be set, and more than these playbooks make. */
export const LIMITS = [0, 1024, 64 * 1024, 1024 * 1024];
export const SEED = Number(process.env.WOOF_SEED ?? Date.now() % 1_000_000);

/** How many playbooks are drawn; `npm run fuzz` draws more. */
export const RUNS = Number(process.env.WOOF_ANY_SIZE ?? 3);

/** A store of the playbook itself. */
export const FILES: JsonObject = { kind: 'file', path: 'results' };

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
  'start.odd.size is defined',
  'start.odd > 1 and start.odd is integer',
  'workload.wide.rows | length > 1',
  'workload.wide.rows == start.rows[:2]',
];

const LIKE_REFERENCE = `store: file, key: k, checksum: "sha256:${'a'.repeat(64)}", size: 3, schema_hint: {type: list, length: 3}`;

/** YAML of values that could come back as others. */
const ODD = [
  '1.0',
  '-0.0',
  '12345678901234567890',
  '"1.0"',
  `{${LIKE_REFERENCE}}`,
  `{kind: reference, ${LIKE_REFERENCE}}`,
  `[{kind: data, ${LIKE_REFERENCE}}, 1e300]`,
];

interface Shape {
  n: number;
  name: string;
  odd: string;
  rows: { v: number; pad: number }[];
  guards: string[];
  mode: string;
  loopIn: string;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  n: fc.integer({ min: 0, max: 6 }),
  name: fc.constantFrom('', 'abc', 'b', 'x'.repeat(40)),
  odd: fc.constantFrom(...ODD),
  rows: fc.array(fc.record({ v: fc.integer({ min: 0, max: 4 }), pad: fc.constantFrom(0, 3, 700, 20_000) }), {
    maxLength: 9,
  }),
  guards: fc.array(fc.constantFrom(...GUARDS), { minLength: 2, maxLength: 2 }),
  mode: fc.constantFrom('sequential', 'parallel'),
  loopIn: fc.constantFrom(
    'start.rows',
    'args.rows',
    'start.rows[:3]',
    'workload.extra',
    'workload.wide.rows',
    'start.deep',
  ),
});

/** Makes a value of the workload so large that it is stored. */
const PAD = 'p'.repeat(70_000);

/**
 * Values pass through results, arcs, args, loops, policies, ctx, named tasks and a nested playbook. A value of the
 * workload is stored if small results are.
 */
export function playbook(
  { n, name, odd, rows, guards, mode, loopIn }: Shape,
  limit: number,
  store?: JsonObject,
): string {
  const result = { inline_max_bytes: limit, ...(store ? { store } : {}) };
  const few = rows.slice(0, 2).map(({ v }) => ({ v, pad: 'p' }));
  const wide = { rows: few, pad: limit < 64 * 1024 ? PAD : '' };
  const data = { n, name, rows: rows.map(({ v, pad }) => ({ v, pad: 'p'.repeat(pad) })) };
  return `
executor: {spec: {result: ${JSON.stringify(result)}, io_policy: {allow_files: true}}}
workload: {extra: ${JSON.stringify(data.rows.slice(0, 2))}, wide: ${JSON.stringify(wide)}}
workbook:
  - {name: first, tool: {kind: noop, result: "{{ args.list[0] if args.list else none }}"}}
workflow:
  - step: start
    tool:
      - make: {kind: noop, result: {"odd": ${odd}, ${JSON.stringify(data).slice(1)}}
      - more: {kind: noop, result: {n: "{{ make.n }}", name: "{{ _prev.name }}", rows: "{{ make.rows }}", copy: "{{ results.make.rows }}", odd: "{{ make.odd }}", deep: {odd: "{{ _prev.odd }}", list: [1, 2, "{{ make.n }}"], last: "{{ make.rows | last | default(none) }}"}}}
    set_ctx: {mode: ${mode}, seen: "{{ start.rows }}", grown: "{{ start.rows }}", n: "{{ start.n }}", odd: "{{ start.odd }}"}
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
                - else: {then: {do: continue, set_shared: {few: {count: 1}, odd_ones: {append: "{{ ctx.odd }}"}, grown: {append: "{{ outcome.result.row }}"}}}}
      - give: {kind: noop, result: {before: "{{ _prev }}", kept: "{{ iter.kept | default(none) }}"}}
    next: {arcs: [{step: report}]}
  - step: two
    tool: {kind: playbook, path: child.yaml, args: {rows: "{{ args.rows }}", all: "{{ start }}", wide: "{{ workload.wide }}"}}
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
        wide: "{{ [workload.wide.rows, wide.rows | length] }}"
`;
}

const CHILD = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: child, path: child.yaml}
workload: {rows: [], all: {}, wide: {rows: []}}
executor: {spec: {result: {inline_max_bytes: 0}}}
workflow:
  - step: start
    tool: {kind: noop, result: {rows: "{{ workload.rows }}", sum: "{{ workload.rows | map(attribute='v') | sum }}"}}
    next: {arcs: [{step: many, when: "{{ workload.all.rows | length > 3 }}"}, {step: few}]}
  - step: many
    tool: {kind: noop, result: {many: "{{ start.rows }}", sum: "{{ start.sum }}"}}
  - step: few
    tool: {kind: noop, result: {few: "{{ workload.all.n }}", sum: "{{ start.sum }}", wide: "{{ workload.wide.rows }}"}}
`;

/** `offset`: to draw other playbooks than another test. */
export const draw = (count: number, offset = 0): Shape[] =>
  fc.sample(shape, { numRuns: count, seed: SEED + offset });

/** A folder with the nested playbook. */
export function prepared(): Folder {
  const folder = new Folder();
  onTestFinished(() => folder.dispose());
  folder.write('child.yaml', CHILD);
  return folder;
}

export const written = (steps: string): string =>
  `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: test}\n${steps}`;

/** The meaning of a run: which steps ran how often, how they ended, and what the last one saw. */
export function meaning(account: Account, whole: string): unknown {
  const steps = Object.entries(account.steps).map(([name, { status, runs, error }]) => [
    name,
    status,
    runs,
    error?.message,
  ]);
  const result = whole && inAnyOrder(decodeJson(whole) as Whole);
  return { status: account.status, error: account.error?.message, steps, result };
}

type Whole = { ctx?: Record<string, Json> } | null;

/** Iterations of a parallel loop append when they end, so the order is not part of the meaning. */
function inAnyOrder(whole: Whole): Whole {
  if (whole?.ctx?.mode !== 'parallel') return whole;
  for (const key of ['many', 'grown']) {
    const list = whole?.ctx?.[key];
    if (Array.isArray(list)) list.sort((a, b) => (encodeJson(a) < encodeJson(b) ? -1 : 1));
  }
  return whole;
}

export async function meaningHere(folder: Folder, steps: string): Promise<unknown> {
  const account = await folder.run(steps);
  const { stdout } = await folder.woof('result', account.execution_id, '--json');
  return meaning(account, stdout);
}
