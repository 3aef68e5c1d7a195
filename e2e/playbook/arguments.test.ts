/** What steps, arcs and pipelines pass on reaches the code and the templates that use it, through the real binary. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@woof/sandbox';
import { itUnless } from '@woof/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from './run-playbook.ts';

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

/** The result of each step. */
async function results(steps: string): Promise<Record<string, unknown>> {
  const run = await folder.run(steps);
  expect(run.error).toBeUndefined();
  return Object.fromEntries(Object.entries(run.steps).map(([name, { result }]) => [name, result]));
}

describe('args of a step and of an arc', () => {
  it('reach Python as args, by name, as input_data and as parameters of main', async () => {
    const given = await results(`
workload: {city: Oslo}
workflow:
  - step: start
    args: {x: 3}
    tool:
      - whole: {kind: python, code: "result = [input_data.get('x'), args['x'], x]"}
      - bound:
          kind: python
          args: {y: 4}
          code: |
            def main(x, y, input_data):
                return [x, y, input_data]
      - own: {kind: python, args: {x: 9}, code: result = x}
      - all: {kind: noop, result: "{{ [whole, bound, own] }}"}
    next: {arcs: [{step: end, args: {z: "{{ start[2] }}"}}]}
  - step: end
    tool:
      kind: python
      code: |
        def main(context, input_data):
            return [input_data, context['workload'], context['city'], context['start'][0], context['args']]
`);
    expect(given).toEqual({
      start: [[3, 3, 3], [3, 4, { x: 3, y: 4 }], 9],
      end: [{ z: 9 }, { city: 'Oslo' }, 'Oslo', [3, 3, 3], { z: 9 }],
    });
  });

  const noR = findProgram('Rscript') ? undefined : 'there is no Rscript on the PATH';
  itUnless(noR)('reach R as args, by name, as input_data and as parameters of main', async () => {
    folder.write(
      'sum.R',
      'main <- function(rows, input_data) c(length(rows), sum(rows), length(input_data$rows))\n',
    );
    const run = await folder.run(`
workload: {city: Oslo}
workflow:
  - step: start
    args: {x: 3}
    tool:
      kind: r
      args: {y: 4.0}
      code: |
        result <- list(x, args$y, input_data$x, context$workload$city, x / 2)
    next: {arcs: [{step: large, args: {rows: "{{ range(30000) | list }}"}}]}
  - step: large
    tool: {kind: r, script: {uri: sum.R}}
    next: {arcs: [{step: bad}]}
  - step: bad
    tool:
      kind: r
      code: |
        fine <- 1
        stop("it broke")
`);
    expect(run.steps.start?.result).toEqual([3, 4, 3, 'Oslo', 1.5]);
    expect(run.steps.large?.result).toEqual([30000, 449985000, 30000]);
    expect(run.steps.bad?.error).toMatchObject({ message: 'Error: it broke', details: { line: 2 } });
  });

  it('reach commands as variables and SQL as parameters', async () => {
    const given = await results(`
workflow:
  - step: start
    args: {who: "it's me", n: 2, list: [1, {a: b}], PATH: /nowhere}
    tool:
      - said:
          kind: shell
          cmds: 'printf "%s|%s|%s|" "$who" "$n" "$list"; cat /dev/null; echo "$mine"'
          env: {mine: own}
          spec: {io_policy: {allow_shell: true}}
      - asked: {kind: duckdb, command: "SELECT $n + $m AS n, $who AS who", params: {m: 5}}
      - both: {kind: noop, result: ["{{ said.stdout }}", "{{ asked.rows }}"]}
`);
    expect(given.start).toEqual([`it's me|2|[1,{"a":"b"}]|own\n`, [{ n: 7, who: "it's me" }]]);
  });

  it('large values reach code as values', async () => {
    const given = await results(`
workflow:
  - step: start
    tool: {kind: noop, result: "{{ range(30000) | list }}"}
    next: {arcs: [{step: end, args: {rows: "{{ start }}"}}]}
  - step: end
    tool: {kind: python, code: "result = [len(rows), len(context['start'])]"}
`);
    expect(given.end).toEqual([30000, 30000]);
  });

  it('of a looped step are evaluated per iteration and can read it', async () => {
    const given = await results(`
workflow:
  - step: start
    args: {numbers: [1, 2], double: "{{ n * 2 }}", place: {at: "{{ iter.index }}"}, seen: "{{ ctx.last | default(0) }}"}
    loop: {in: "{{ args.numbers }}", iterator: n}
    tool:
      - pair:
          kind: python
          code: result = [double, place, seen]
          spec:
            policy: {rules: [{else: {then: {do: continue, set_ctx: {last: "{{ n }}"}}}}]}
`);
    expect(given.start).toMatchObject({
      results: [
        [2, { at: 0 }, 0],
        [4, { at: 1 }, 1],
      ],
    });
  });

  it('of a looped step that cannot be evaluated fail the iteration, with the line', async () => {
    const run = await folder.run(`
workflow:
  - step: start
    args: {half: "{{ 6 // n }}"}
    loop: {in: [1, 0], iterator: n}
    tool: {kind: noop, result: "{{ half }}"}
`);
    expect(run.error).toMatchObject({ kind: 'template', message: expect.stringContaining('line 7') });
  });
});

it('an outcome has null if it has no error or no result', async () => {
  const given = await results(`
workflow:
  - step: start
    tool:
      - good:
          kind: noop
          result: 1
          spec:
            policy: {rules: [{else: {then: {do: continue, set_vars: {error: "{{ outcome.error }}"}}}}]}
      - bad:
          kind: python
          code: raise ValueError('no')
          spec:
            policy:
              rules:
                - when: "{{ outcome.error.retryable }}"
                  then: {do: fail}
                - else: {then: {do: continue, set_vars: {result: "{{ outcome.result }}"}}}
      - told: {kind: noop, result: "{{ [vars.error, vars.result] }}"}
`);
  expect(given.start).toEqual([null, null]);
});

it('later steps read the tasks of a step by label, unless its result has results of its own', async () => {
  const given = await results(`
workflow:
  - step: start
    tool:
      - fetch: {kind: noop, result: {rows: [1, 2]}}
      - count: {kind: noop, result: "{{ fetch.rows | length }}"}
    next: {arcs: [{step: own}]}
  - step: own
    tool:
      - fetch: {kind: noop, result: other}
      - wrap: {kind: noop, result: {results: [7]}}
    next: {arcs: [{step: looped}]}
  - step: looped
    loop: {in: [1, 2], iterator: n}
    tool: {kind: noop, result: "{{ n }}"}
    next: {arcs: [{step: end}]}
  - step: end
    tool:
      kind: noop
      result: ["{{ start.results.fetch }}", "{{ start.results['count'] }}", "{{ own.results }}", "{{ looped.results }}", "{{ fetch }}"]
`);
  expect(given.end).toEqual([{ rows: [1, 2] }, 2, [7], [1, 2], 'other']);
});

describe('scripts', () => {
  it('are read from the folder of the document by every kind that runs text', async () => {
    folder.write('load.py', 'import math\nresult = [x, math.floor(2.5)]\n');
    folder.write('ask.sql', 'SELECT $x + 1 AS y');
    folder.write('say.sh', 'echo "x is $x"');
    const given = await results(`
workflow:
  - step: start
    args: {x: 3}
    tool:
      - py: {kind: python, script: {uri: load.py, source: file}}
      - sql: {kind: duckdb, script: {uri: ./ask.sql, source: {type: file}}}
      - sh: {kind: shell, script: {uri: say.sh}, spec: {io_policy: {allow_shell: true}}}
      - all: {kind: noop, result: ["{{ py }}", "{{ sql.rows[0].y }}", "{{ sh.stdout }}"]}
`);
    expect(given.start).toEqual([[3, 2], 4, 'x is 3\n']);
  });

  it.each(['../outside.py', 'link.py', '.woof/key.py', 'sub/missing.py'])('%s is refused', async (uri) => {
    const inner = join(folder.path, 'inner');
    mkdirSync(join(inner, '.woof'), { recursive: true });
    folder.write('outside.py', 'result = 1');
    folder.write('inner/.woof/key.py', 'result = 1');
    symlinkSync(join(folder.path, 'outside.py'), join(inner, 'link.py'));
    const file = folder.write(
      'inner/p.yaml',
      `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: test}
workflow:
  - step: start
    tool: {kind: python, script: {uri: ${uri}}}
`,
    );
    const { code, stderr } = await folder.woof('run', file);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /"script\.uri"(: there is no file "sub\/missing\.py" in \/.*\/inner, | must be under )the document’s folder/,
    );
  });
});

describe('a nested playbook', () => {
  const calling = (path: string) => `
  - step: start
    tool: {kind: playbook, path: ${path}, return_step: start}
`;
  const playbook = (path: string, steps: string) =>
    `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: x, path: ${path}}\nworkflow:${steps}`;

  it('is found by its metadata.path in the folder of the run', async () => {
    for (const name of ['lib', 'tools']) mkdirSync(join(folder.path, name));
    folder.write('lib/first.yaml', playbook('shop/first', calling('shop/second')));
    folder.write(
      'tools/second.yaml',
      playbook('shop/second', '\n  - {step: start, tool: {kind: noop, result: found}}'),
    );
    expect((await results(`workflow:${calling('shop/first')}`)).start).toBe('found');
  });

  it('can only be asked for in its newest version', async () => {
    const text = 'workflow: [{step: start, tool: {kind: playbook, path: child.yaml, version: 3}}]';
    expect((await folder.run(text)).error?.message).toMatch(/"version" can only be latest.*got 3$/);
  });

  it('without the step that return_step names is an error, not null', async () => {
    folder.write('child.yaml', playbook('child', '\n  - {step: start, tool: {kind: noop, result: 1}}'));
    const run = await folder.run(
      'workflow: [{step: start, tool: {kind: playbook, path: child.yaml, return_step: strat}}]',
    );
    expect(run.error?.message).toMatch(
      /child\.yaml: it has no step "strat" for return_step; its steps are "start"/,
    );
  });

  it('that nothing declares, or two files do, is an error that says so', async () => {
    const missing = await folder.run(`workflow:${calling('shop/none')}`);
    expect(missing.error?.message).toMatch(
      /shop\/none: there is no such file, and no playbook in .* metadata\.path/,
    );
    folder.write('a.yaml', playbook('shop/twice', '\n  - {step: start}'));
    folder.write('b.yaml', playbook('shop/twice', '\n  - {step: start}'));
    const twice = await folder.run(`workflow:${calling('shop/twice')}`);
    expect(twice.error?.message).toMatch(
      /several playbooks have the metadata\.path shop\/twice: .*a\.yaml, .*b\.yaml/,
    );
  });
});
