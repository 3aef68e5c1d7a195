import type { Diagnostic, Plan } from '@woof/net';
import { describe, expect, test } from 'vitest';
import { resultStores, toolSchemas } from '../fixtures/tool-schemas.ts';
import { readDocument } from '../index.ts';

const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: x}\n';

function read(body: string): { plan?: Plan; diagnostics: Diagnostic[] } {
  return readDocument(head + body, { kinds: toolSchemas, resultStores });
}

function plan(body: string): Plan {
  const { plan: made, diagnostics } = read(body);
  expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
  return made!;
}

describe('spec layers', () => {
  test('merge inwards, and each scope keeps its own knobs', () => {
    const { steps } = plan(`executor:
  spec: {entry_step: s, timeout: 1, env: {A: 1, B: 1}, policy: {}}
workflow:
  - step: s
    spec: {join: all, timeout: 2, env: {B: 2}, policy: {admit: {rules: [{else: {then: {allow: true}}}]}}}
    loop:
      in: [1]
      iterator: i
      spec: {mode: parallel, max_in_flight: 2, policy: {exec: local}, env: {C: 3}}
      loop: {in: [1], iterator: j, spec: {mode: sequential, env: {C: 4}}}
    tool:
      kind: python
      code: x
      spec: {env: {D: [5]}, policy: {rules: [{else: {then: {do: fail}}}]}}
`);
    expect(steps[0]!.tasks[0]!.spec).toEqual({
      timeout: 2,
      memory_mb: 512,
      env: { A: 1, B: 2, C: 4, D: [5] },
    });
  });

  test('a list replaces, and the place of a template is where the innermost layer wrote it', () => {
    const made = plan(`executor: {spec: {env: {A: ["{{ a }}", "{{ b }}"], B: "{{ c }}"}}}
workflow:
  - step: start
    tool: {kind: noop, spec: {env: {A: ["{{ d }}"]}}}
`);
    expect(made.steps[0]!.tasks[0]!.spec).toEqual({ env: { A: ['{{ d }}'], B: '{{ c }}' } });
    expect(made.where).toEqual({
      'start/tool/task_1/spec/env/A/0': [7, 42],
      'start/tool/task_1/spec/env/B': [4, 56],
    });
  });

  test('a template that cannot parse is reported once, however many tasks inherit it', () => {
    const { diagnostics } = read(`executor: {spec: {timeout: "{{ a + }}"}}
workflow:
  - step: start
    tool: [{kind: noop}, {kind: noop}]
`);
    expect(diagnostics.map((each) => each.code)).toEqual(['playbook/bad-template']);
  });
});

describe('names', () => {
  test('a field called name belongs to kinds that have one; elsewhere it is the label', () => {
    const { steps } = plan(`workbook: {greet: {kind: noop}}
workflow:
  - step: start
    tool:
      - {kind: workbook, name: greet}
      - {kind: noop, name: second}
      - third: {kind: workbook, name: greet}
`);
    expect(steps[0]!.tasks.map(({ label, input }) => [label, input])).toEqual([
      ['task_1', { name: 'greet' }],
      ['second', {}],
      ['third', { name: 'greet' }],
    ]);
  });

  test('names that objects have already are only names', () => {
    const made = plan(`workbook: {__proto__: {kind: noop}, constructor: {kind: noop}}
workflow:
  - step: start
    tool: [{kind: noop, name: __proto__}, {kind: noop, name: toString}]
    next: {arcs: [{step: __proto__, args: {__proto__: "{{ a }}"}}]}
  - step: __proto__
    tool: {kind: noop}
`);
    expect(Object.keys(made.blocks)).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify(made.steps[0]!.next.arcs[0]!.args)).toBe('{"__proto__":"{{ a }}"}');
    expect(made.where['start/next/0/args/__proto__']).toBeDefined();
  });

  test('a kind that only objects have is unknown', () => {
    const { diagnostics } = read('workflow:\n  - step: start\n    tool: {kind: constructor}\n');
    expect(diagnostics.map((each) => each.code)).toEqual(['playbook/unknown-kind']);
  });
});

describe('messages', () => {
  test.each([
    ['    when: x\n', 'woof upgrade'],
    ['    next: [{step: start}]\n', 'woof upgrade'],
    ['    next: start\n', 'woof upgrade'],
    ['    tool: {kind: noop, eval: []}\n', 'woof upgrade'],
    ['    spec: {next_mode: inclusive}\n', 'woof upgrade'],
    ['    tool: {kind: noop, spec: {policy: {rules: [{expr: x}]}}}\n', 'woof upgrade'],
    ['    tool: {kind: pyhton}\n', 'did you mean "python"?'],
    [
      '    tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: brake}}}]}}}\n',
      'did you mean "break"?',
    ],
    ['    next: {arcs: [{step: strat}]}\n', 'did you mean "start"?'],
    ['    tool: {kind: noop, result: "{{ 1 | defualt(2) }}"}\n', 'did you mean "default"?'],
  ])('%j says %s', (body, hint) => {
    const { diagnostics } = read(`workflow:\n  - step: start\n${body}`);
    expect(diagnostics.find((each) => each.severity === 'error')?.hint).toContain(hint);
  });
});

test.each([
  ['{a: {kind: workbook, name: b}, b: {kind: workbook, name: a}}', 'a → b → a'],
  ['{a: {kind: workbook, name: a}}', 'a → a'],
  ['[{name: a, kind: workbook}]', 'a → a'],
  [
    '{in: {kind: workbook, name: a}, a: {kind: workbook, name: b}, b: {tool: {kind: workbook, name: a}}}',
    'a → b → a',
  ],
])('workbook %s: the message shows the circle', (workbook, circle) => {
  const { diagnostics } = read(`workbook: ${workbook}\nworkflow:\n  - step: start\n    tool: {kind: noop}\n`);
  const said = diagnostics.filter(({ code }) => code === 'playbook/circular-block');
  expect(said.map(({ message }) => message)).toEqual([
    `workbook tasks call each other in a cycle: ${circle}`,
  ]);
});

test('specs that would multiply beyond measure are refused', () => {
  const env = Array.from({ length: 2000 }, (_, i) => `k${i}: 1`).join(', ');
  const tasks = '      - {kind: noop}\n'.repeat(1500);
  const { diagnostics } = read(
    `executor: {spec: {env: {${env}}}}\nworkflow:\n  - step: start\n    tool:\n${tasks}`,
  );
  expect(diagnostics.map((each) => each.code)).toEqual(['playbook/spec-too-large']);
});

test.each([
  ['the path', (n: number) => [`metadata: {name: x, path: ${'p'.repeat(n)}}`, 'start', ''], 300],
  ['the name of a step', (n: number) => ['metadata: {name: x}', 's'.repeat(n), ''], 200],
  ['what is inline', (n: number) => ['metadata: {name: x}', 'start', `inline_max_bytes: ${n}`], 1024 * 1024],
])('%s may be so large and no larger', (_what, parts, most) => {
  const codes = (size: number) => {
    const [metadata, step, result] = parts(size);
    const text = `apiVersion: noetl.io/v10\nkind: Playbook\n${metadata}\nexecutor: {spec: {entry_step: ${step}}}
workflow:\n  - step: ${step}\n    spec: {result: {${result}}}\n    tool: {kind: noop}\n`;
    return readDocument(text, { kinds: toolSchemas }).diagnostics.map(({ code }) => code);
  };
  expect(codes(most)).toEqual([]);
  expect(codes(most + 1)).toEqual([most > 300 ? 'playbook/bad-number' : 'playbook/too-long']);
});

test.each([
  ['file', []],
  ['ftp', ['playbook/wrong-type']],
  ['{kind: s3, bucket: b, prefix: p}', []],
  ['{kind: "{{ workload.kind }}"}', []],
  ['{bucket: b}', ['playbook/wrong-type']],
  ['{kind: s3, buket: b}', ['playbook/unknown-knob']],
  ['[s3]', ['playbook/wrong-type']],
])('the store of results %s is checked', (store, expected) => {
  const { diagnostics } = read(`executor: {spec: {result: {store: ${store}}}}
workflow:\n  - step: start\n    tool: {kind: noop}\n`);
  expect(diagnostics.map(({ code }) => code)).toEqual(expected);
});

test('a shared step body is read once for each step', () => {
  const made = plan(`workflow:
  - step: start
    tool: &t {kind: noop, result: "{{ a }}"}
    next: {arcs: [{step: b}]}
  - {step: b, tool: *t}
`);
  expect(made.where['start/tool/task_1/result']).toEqual(made.where['b/tool/task_1/result']);
});

test('there are at most 200 diagnostics, errors before warnings', () => {
  const steps = Array.from({ length: 500 }, (_, i) => `  - {step: s${i}, description: x}\n`).join('');
  const { diagnostics } = read(`workflow:\n${steps}`);
  expect(diagnostics).toHaveLength(200);
  expect(diagnostics.some((each) => each.code === 'playbook/no-entry')).toBe(true);
});
