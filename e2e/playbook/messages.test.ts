/** What people read about secrets, failures and steps that did not run, through the real binary. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder, serve } from './run-playbook.ts';

let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const playbook = (text: string) =>
  folder.write('p.yaml', `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: test}\n${text}`);

describe('a secret', () => {
  it('with one value is that value, and is hidden in what comes back', async () => {
    const seen: (string | undefined)[] = [];
    const server = await serve((request) => {
      seen.push(request.headers.authorization);
      return { json: request.headers.authorization };
    });
    folder.env = { TOKEN: 'the-canary' };
    const run = await folder.run(`
keychain: [{name: token, kind: environment}, {name: api, kind: bearer, token: "{{ keychain.token }}"}]
workflow:
  - step: start
    tool:
      - text: {kind: http, url: "${server.url}", headers: {authorization: "Bearer {{ keychain.token }}"}}
      - lone: {kind: http, url: "${server.url}", headers: {authorization: "{{ keychain['token'] }}"}}
      - field: {kind: http, url: "${server.url}", headers: {authorization: "{{ 'Bearer ' ~ keychain.api.token }}"}}
      - auth: {kind: http, url: "${server.url}", auth: "{{ keychain.token }}"}
      - named: {kind: http, url: "${server.url}", auth: token}
      - all: {kind: noop, result: "{{ [text.data, lone.data, auth.data] }}"}
`);
    await server.close();
    expect(seen).toEqual(['Bearer the-canary', 'the-canary', ...Array(3).fill('Bearer the-canary')]);
    const hidden = '***token.value***';
    expect(run.steps.start!.result).toEqual([`Bearer ${hidden}`, hidden, `Bearer ${hidden}`]);
    expect(JSON.stringify(await folder.events(run.execution_id))).not.toContain('the-canary');
  });

  it('with several fields is not a text: the error lists them, and no value', async () => {
    folder.env = { ONE: 'first-canary', TWO: 'second-canary' };
    const run = await folder.run(`
keychain: [{name: pair, kind: environment, variables: {user: ONE, password: TWO}}]
workflow:
  - step: start
    tool: {kind: noop, result: "Basic {{ keychain.pair }}"}
`);
    expect(run.error?.message).toMatch(
      /"pair" has several fields.*keychain\.pair\.user, keychain\.pair\.password/,
    );
    expect(JSON.stringify(run)).not.toContain('canary');
  });

  it('that is not declared or not set: what to write, and the command', async () => {
    const task = 'workflow: [{step: start, tool: {kind: postgres, auth: pg_local, query: SELECT 1}}]';
    expect((await folder.run(task)).error?.message).toMatch(
      /add to the document: keychain: \[\{name: pg_local, kind: postgres_credential\}\]; then set it: woof secret set pg_local host port user password database$/,
    );
    const read = 'workflow: [{step: start, tool: {kind: noop, result: "{{ keychain.api.token }}"}}]';
    expect((await folder.run(read)).error?.message).toMatch(
      /keychain: \[\{name: api, kind: secret\}\]; then set it: woof secret set api token$/,
    );
    const { code, stderr } = await folder.woof(
      'run',
      playbook(`keychain: [{name: api, kind: secret}]\n${read}`),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('woof secret set api token');
  });
});

describe('an error of Python code', () => {
  it('in a nested playbook is shown with lines of that playbook, also by the run that called it', async () => {
    const called = (name: string, tool: string) =>
      folder.write(
        `${name}.yaml`,
        `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ${name}}\nworkflow:\n  - step: start\n    tool:\n${tool}`,
      );
    called('inner', '      kind: python\n      code: |\n        x = 1\n        raise KeyError("deep")\n');
    called('middle', '      - {kind: playbook, path: inner.yaml}\n');
    const file = playbook(`workflow:
  - step: start
    tool: {kind: python, code: "x = 1\\ny = 2"}
    next: {arcs: [{step: call}]}
  - step: call
    tool: {kind: playbook, path: middle.yaml}
`);
    const trace = /File "inner\.yaml", line 10, in <module>\n.*raise KeyError\("deep"\)\n.*KeyError: 'deep'/;
    const { stderr } = await folder.woof('run', file);
    expect(stderr).toMatch(trace);
    for (const verb of ['why', 'show']) {
      const { stdout } = await folder.woof(verb, 'last');
      expect(stdout).toMatch(/in +nested run \S+\n/);
      expect(stdout).toMatch(/at +inner\.yaml:10 {2}raise KeyError\("deep"\)\n/);
      expect(stdout).toMatch(trace);
    }
    expect((await folder.woof('why', 'last', 'call')).stdout).toMatch(trace);
    expect((await folder.woof('why', 'last', 'start')).stdout).not.toMatch(trace);
    const { stderr: said } = await folder.woof('logs', 'last');
    const [, nested = ''] = /for the output of a nested run: woof logs (\S+)/.exec(said) ?? [];
    expect((await folder.woof('logs', nested)).stderr).toMatch(/woof logs \S+/);
  });

  it('shows its traceback with lines of the document in run, why, show and logs', async () => {
    const file = playbook(`workflow:
  - step: start
    tool:
      - half:
          kind: python
          code: |
            def half(x):
                return 6 // x

            result = half(0)
`);
    const trace =
      /Traceback.*File "p\.yaml", line 13, in <module>.*File "p\.yaml", line 11, in half.*return 6 \/\/ x.*ZeroDivisionError/s;
    expect((await folder.woof('run', file)).stderr).toMatch(trace);
    expect((await folder.woof('run', file, '--quiet')).stderr).toMatch(trace);
    for (const args of [
      ['why', 'last'],
      ['why', 'last', 'start'],
      ['show', 'last'],
      ['logs', 'last'],
    ])
      expect((await folder.woof(...args)).stdout, args.join(' ')).toMatch(trace);
  });

  it('names the right line, however the code is written, and only in tracebacks', async () => {
    const file = playbook(`workload: {rows: [1, 2]}
workflow:
  - step: start
    tool:
      - quoted: {kind: python, code: "def f():\\n  return 1 / 0\\n\\nf()", spec: &go {policy: {rules: [{else: {then: {do: continue}}}]}}}
      - folded:
          kind: python
          spec: *go
          code: >
            x = 1

            raise ValueError(x)
      - templates:
          kind: python
          spec: *go
          code: |

            import sys
            def fail(x): raise KeyError(x)
            {% for r in workload.rows %}
            print({{ r }}, "<code>:3", file=sys.stderr)
            {% endfor %}
            try: fail(1)
            except KeyError as e: raise ValueError({{ workload.rows }})
`);
    const { stderr } = await folder.woof('run', file);
    const lines = [...stderr.matchAll(/File "p\.yaml", line (\d+)/g)].map(([, line]) => Number(line));
    expect(lines).toEqual([8, 8, 15, 26, 22, 21]);
    expect(stderr).toContain('1 <code>:3\n');
  });

  it('in a named task and in a loop, too; people count iterations from one', async () => {
    const file = playbook(`workbook:
  parse:
    kind: python
    code: |
      import json
      result = json.loads(args["text"])
workflow:
  - step: start
    loop: {in: ["1", "{"], iterator: text}
    tool: {kind: workbook, name: parse, args: {text: "{{ text }}"}}
`);
    const { stderr } = await folder.woof('run', file, '--quiet');
    expect(stderr).toMatch(/iteration 2 of 2 failed: JSONDecodeError/);
    expect((await folder.woof('show', 'last')).stdout).toMatch(/start +failed .* 2\/2, 1 failed/);
    expect(stderr).toMatch(/at {6}p\.yaml:9 {2}result = json\.loads/);
    expect(stderr).toMatch(/File "p\.yaml", line 9, in <module>/);
  });
});

it('why names the guards that were false, with the values that they read', async () => {
  const file = playbook(`workload: {amount: 50, approved: false, text: ${'x'.repeat(200)}}
workflow:
  - step: start
    tool: {kind: noop, result: {n: "{{ workload.amount }}"}}
    set_ctx: {seen: "{{ start.n }}"}
    next:
      arcs:
        - {step: review, when: "{{ start.n > args.limit | default(100) }}"}
        - {step: review, when: "{{ workload.approved }}"}
        - {step: long, when: "{{ workload.text == ctx.none }}"}
        - {step: publish}
        - {step: later}
  - {step: review, tool: {kind: noop}}
  - {step: long, tool: {kind: noop}}
  - {step: later, tool: {kind: noop}}
  - step: publish
    spec:
      policy:
        admit:
          rules:
            - {when: "{{ workload.approved and ctx.seen > 3 }}", then: {allow: true}}
            - {else: {then: {allow: false}}}
    tool: {kind: noop}
`);
  await folder.woof('run', file, '--quiet', '--set', 'amount=70');
  const { stdout } = await folder.woof('why', 'last', '--json');
  const { reasons } = JSON.parse(stdout) as { reasons: { step: string; reason: string }[] };
  const said = Object.fromEntries(reasons.map(({ step, reason }) => [step, reason]));
  expect(said.review).toBe(
    'skipped: no arc led to it: arc from "start": {{ start.n > args.limit | default(100) }} is false (start.n = 70, args.limit is undefined); arc from "start": {{ workload.approved }} is false (workload.approved = false)',
  );
  expect(said.long).toMatch(/\(workload\.text = "x{70,79}…, ctx\.none is undefined\)$/);
  expect(said.later).toMatch(/the arc to "publish" comes first and was taken$/);
  expect(said.publish).toBe(
    'skipped: its admission rules denied it: {{ workload.approved and ctx.seen > 3 }} is false (workload.approved = false, ctx.seen = 70)',
  );
});

it('why names guards that read values stored outside the log, and paths as the document writes them', async () => {
  const file = playbook(`workload: {my-key: 2, list: [1], map: {"0": 5, a.b: 7}}
workflow:
  - step: start
    tool: {kind: noop, result: {rows: "{{ range(30000) | list }}", text: "{{ 'x' * 300 }}", n: 1}}
    next:
      spec: {mode: inclusive}
      arcs:
        - {step: long, when: "{{ start.rows | length > 40000 }}"}
        - {step: first, when: "{{ start.rows[3] == 7 }}"}
        - {step: text, when: "{{ start.text == 'y' }}"}
        - {step: odd, when: "{{ workload['my-key'] == 3 or workload.list[0] == 4 }}"}
        - {step: keys, when: "{{ workload.map['0'] == 4 or workload.map['a.b'] == 4 }}"}
        - step: lines
          when: |
            {{ workload
                .map['0'] == 1 }}
  - {step: long, tool: {kind: noop}}
  - {step: first, tool: {kind: noop}}
  - {step: text, tool: {kind: noop}}
  - {step: odd, tool: {kind: noop}}
  - {step: keys, tool: {kind: noop}}
  - {step: lines, tool: {kind: noop}}
`);
  await folder.woof('run', file, '--quiet');
  const { stdout } = await folder.woof('why', 'last', '--json');
  const { reasons } = JSON.parse(stdout) as { reasons: { step: string; reason: string }[] };
  const said = Object.fromEntries(reasons.map(({ step, reason }) => [step, reason]));
  expect(said.long).toMatch(/is false \(start\.rows = \[0,1,2,.*… \(30000 items\)\)$/);
  expect(said.first).toMatch(/\{\{ start\.rows\[3\] == 7 \}\} is false \(start\.rows\[3\] = 3\)$/);
  expect(said.text).toMatch(/is false \(start\.text = "x{70,79}…\)$/);
  expect(said.odd).toMatch(/is false \(workload\['my-key'\] = 2, workload\.list\[0\] = 1\)$/);
  expect(said.lines).toMatch(
    /: \{\{ workload \.map\['0'\] == 1 \}\} is false \(workload \.map\['0'\] = 5\)$/,
  );
  expect(said.keys).toMatch(/is false \(workload\.map\['0'\] = 5, workload\.map\['a\.b'\] = 7\)$/);
});

it('a value that would never fit into memory is refused before anybody writes it', async () => {
  const huge = "{{ ['x' * 9000000] * 90000 }}";
  const many = Array.from({ length: 20 }, (_, index) => `a${index}: "{{ 'x' * 9000000 }}"`).join(', ');
  const run = await folder.run(`
workflow:
  - step: start
    tool: {kind: noop, result: "${huge}"}
    next: {arcs: [{step: fields, when: "{{ event.name == 'step.failed' }}"}]}
  - step: fields
    tool: {kind: noop, result: {${many}}}
    next: {arcs: [{step: loop, when: "{{ event.name == 'step.failed' }}"}]}
  - step: loop
    loop: {in: "${huge}", iterator: n}
    tool: {kind: noop}
    next: {arcs: [{step: last, when: "{{ event.name == 'step.failed' }}"}]}
  - step: last
    tool: {kind: noop}
`);
  expect(run.status).toBe('succeeded');
  for (const step of ['start', 'fields', 'loop'])
    expect(run.steps[step]!.error).toMatchObject({
      kind: 'storage',
      code: 'too_large',
      message: expect.stringMatching(/a value of more than 134217728 bytes, which is the limit; make less/),
    });
});

it('progress says how an attempt ended and when the next one begins, also if a rule retries after success', async () => {
  const rules = (when: string) =>
    `spec: {policy: {rules: [{when: "{{ ${when} }}", then: {do: retry, attempts: 2, delay: 0.01}}, {else: {then: {do: continue}}}]}}`;
  const { stderr } = await folder.woof(
    'run',
    playbook(`workflow:
  - step: start
    tool:
      - poll: {kind: noop, result: 1, ${rules('_attempt == 1')}}
      - bad: {kind: python, code: raise ValueError("no"), ${rules("outcome.status == 'error'")}}
`),
  );
  expect(stderr).toContain('start: attempt 1 of "poll" succeeded; retry in 10 ms\n');
  expect(stderr).toContain('start: attempt 1 of "bad": ValueError: no; retry in 10 ms\n');
});
