/** Finer points of playbooks that only show in a whole run. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from './run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const resultOf = async (text: string, step = 'start') => (await folder.run(text)).steps[step]?.result;

describe('names in templates', () => {
  it('results and vars can be taken as values', async () => {
    expect(
      await resultOf(`
workflow:
  - step: start
    tool:
      - a: {kind: noop, result: 1, spec: {policy: {rules: [{else: {then: {do: continue, set_vars: {n: 1}}}}]}}}
      - b:
          kind: noop
          result: {results: "{{ results }}", vars: "{{ vars }}"}
          spec: {policy: {rules: [{else: {then: {do: continue, set_vars: {me: "{{ vars }}"}}}}]}}
      - c: {kind: noop, result: ["{{ results }}", "{{ vars }}"]}
`),
    ).toEqual([
      { a: 1, b: { results: { a: 1 }, vars: { n: 1 } } },
      { n: 1, me: { n: 1 } },
    ]);
  });

  it('a name that is null hides the same name further out', async () => {
    const text = `
workload: {limit: 5}
workflow:
  - {step: start, next: {arcs: [{step: b, args: {limit: null}}]}}
  - {step: b, tool: {kind: noop, result: ["{{ limit }}", "{{ workload.limit }}"]}}
`;
    expect(await resultOf(text, 'b')).toEqual([null, 5]);
  });

  it('workload keys, step results and their aliases are at the root', async () => {
    const text = `
workload: {api: "http://x"}
workflow:
  - {step: start, tool: {kind: noop, result: {f: 7}}, next: {arcs: [{step: b}]}}
  - {step: b, tool: {kind: noop, result: ["{{ api }}", "{{ start.f }}", "{{ start.data.f }}", "{{ start.result.f }}"]}}
`;
    expect(await resultOf(text, 'b')).toEqual(['http://x', 7, 7, 7]);
  });

  it('what a task shares, later tasks of its pipeline see', async () => {
    expect(
      await resultOf(`
workflow:
  - step: start
    tool:
      - a: {kind: noop, spec: {policy: {rules: [{else: {then: {do: continue, set_shared: {n: {sum: 2}}}}}]}}}
      - b: {kind: noop, result: "{{ ctx.n }}"}
`),
    ).toBe(2);
  });
});

describe('named tasks', () => {
  it('take the knobs of their call site, below their own', async () => {
    const text = `
workbook: {sh: {kind: shell, cmds: "echo hi"}}
workflow: [{step: start, spec: {io_policy: {allow_shell: true}}, tool: {kind: workbook, name: sh}}]
`;
    expect(await resultOf(text)).toMatchObject({ returncode: 0, stdout: 'hi\n' });
  });

  it('are judged by their own policy if the call has none', async () => {
    const text = `
workbook:
  risky:
    kind: python
    code: "raise ValueError('no')"
    spec: {policy: {rules: [{else: {then: {do: continue, set_prev: saved}}}]}}
workflow: [{step: start, tool: {kind: workbook, name: risky}}]
`;
    expect(await resultOf(text)).toBe('saved');
  });

  it('get the args of the call, over their own', async () => {
    const text = `
workbook: [{name: double, tool: {kind: python, args: {n: 1, k: 10}, code: "return {'v': input_data['n'] * k}"}}]
workflow:
  - step: start
    loop: {in: [1, 2], iterator: it}
    tool: [{one: {kind: workbook, name: double, args: {n: "{{ iter.it }}"}}}]
`;
    expect(await resultOf(text)).toMatchObject({ results: [{ v: 10 }, { v: 20 }] });
  });

  it('see what the pipeline wrote to ctx', async () => {
    const text = `
workbook: {read: {kind: noop, result: "{{ ctx.n }} {{ args.who }}"}}
workflow:
  - step: start
    tool:
      - a: {kind: noop, spec: {policy: {rules: [{else: {then: {do: continue, set_ctx: {n: 3}}}}]}}}
      - b: {kind: workbook, name: read, args: {who: me}}
`;
    expect(await resultOf(text)).toBe('3 me');
  });
});

describe('nested playbooks', () => {
  it('end with their timeout', async () => {
    folder.write(
      'slow.yaml',
      `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: slow}
workflow: [{step: start, tool: {kind: wait, seconds: 3600}}]
`,
    );
    const run = await folder.run(`
workflow: [{step: start, tool: {kind: playbook, path: slow.yaml, spec: {timeout: 0.2}}}]
`);
    expect(run.code).toBe(1);
    expect(run.error).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('timeout of 0.2 s'),
    });
    const runs = await folder.woof('runs', '--json');
    expect(runs.stdout).toMatch(/failed/);
  });
});

describe('what is not possible', () => {
  it('a missing nested playbook fails its task', async () => {
    const run = await folder.run('workflow: [{step: start, tool: {kind: playbook, path: nosuch.yaml}}]');
    expect(run.code).toBe(1);
    expect(run.error!.message).toMatch(/nosuch\.yaml.*no such file/);
  });

  it('a failing rule does not hide why the task failed', async () => {
    const run = await folder.run(`
workflow:
  - step: start
    tool:
      kind: http
      url: http://127.0.0.1:1/
      spec: {policy: {rules: [{else: {then: {do: continue, set_ctx: {d: "{{ outcome.result.data }}"}}}}]}}
`);
    expect(run.error!.message).toMatch(/outcome.*the task itself failed: .*127\.0\.0\.1/s);
  });

  it('infinity is refused where it is created', async () => {
    const run = await folder.run('workflow: [{step: start, tool: {kind: noop, result: "{{ 1e308 * 10 }}"}}]');
    expect(run.error!.message).toMatch(/inf cannot be the value/);
  });

  it('a retry that used up its attempts on an ok outcome says so', async () => {
    const run = await folder.run(`
workflow:
  - step: start
    tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: retry, attempts: 2}}}]}}}
`);
    expect(run.error!.message).toMatch(/all 2 attempts are used/);
  });
});

describe('large values in one pipeline', () => {
  it('what set_iter collects stays available, however large, and load takes any value', async () => {
    const run = await folder.run(`
workflow:
  - step: start
    tool:
      - page: {kind: noop, result: "{{ range(4000) | list }}"}
      - keep:
          kind: noop
          result: "{{ (iter.all | default([])) + page }}"
          spec:
            policy:
              rules:
                - when: "{{ (iter.n | default(0)) < 5 }}"
                  then: {do: jump, to: page, set_iter: {n: "{{ (iter.n | default(0)) + 1 }}", all: "{{ outcome.result }}"}}
                - else: {then: {do: continue}}
      - count: {kind: noop, result: ["{{ keep | length }}", "{{ [1, 2] | load | length }}", "{{ iter.all | load | length }}"]}
`);
    expect(run.steps.start!.result).toEqual([24_000, 2, 20_000]);
  });

  it('no event is larger than the limit, whatever carries the value', async () => {
    const run = await folder.run(`
workload: {n: 60000}
workflow:
  - step: start
    args: {big: "{{ range(workload.n) | list }}"}
    tool:
      - a: {kind: noop, spec: {policy: {rules: [{else: {then: {do: continue, set_shared: {all: {append: "{{ range(workload.n) | list }}"}}}}}]}}}
      - b: {kind: python, code: "raise ValueError('x' * 200000)"}
`);
    expect(run.status).toBe('failed');
    const sizes = (await folder.events(run.execution_id)).map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(64 * 1024);
  });
});

describe('skip', () => {
  it('an else that says skip is judged after the tool ran', async () => {
    const text = `
workflow:
  - step: start
    tool:
      - a: {kind: noop, result: ran, spec: {policy: {rules: [{when: "{{ outcome.status == 'ok' }}", then: {do: continue}}, {else: {then: {do: skip}}}]}}}
`;
    expect(await resultOf(text)).toBe('ran');
  });

  it('a rule that does not read the outcome is judged before the tool runs', async () => {
    const text = `
workload: {dry: true}
workflow:
  - step: start
    tool:
      - first: {kind: noop, result: kept}
      - effect:
          kind: python
          code: "raise ValueError('must not run')"
          spec: {policy: {rules: [{when: "{{ workload.dry }}", then: {do: skip}}, {else: {then: {do: fail}}}]}}
`;
    expect(await resultOf(text)).toBe('kept');
  });
});

describe('python', () => {
  it('numpy works in the sandbox if it is installed', async (context) => {
    const { spawnSync } = await import('node:child_process');
    if (spawnSync('/usr/bin/python3', ['-c', 'import numpy']).status !== 0) {
      return context.skip('numpy is not installed for /usr/bin/python3');
    }
    const text = `workflow: [{step: start, tool: {kind: python, code: "import numpy\\nresult = float(numpy.mean([1, 2, 6]))"}}]`;
    expect(await resultOf(text)).toBe(3);
  });
});
