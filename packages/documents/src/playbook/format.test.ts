import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Plan } from '@woof/net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toolSchemas } from '../fixtures/tool-schemas.ts';
import { formatDocument, readDocument } from '../index.ts';

const options = { kinds: toolSchemas };
const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: x}\n';
const folder = new URL('../../../../conformance/playbook/', import.meta.url);

function check(input: string, expected: string): void {
  expect(formatDocument(input, options)).toEqual({ text: expected, diagnostics: [] });
  expect(formatDocument(expected, options).text).toBe(expected);
}

/** Everything in a plan except where it was written. */
function meaning(plan: Plan | undefined): unknown {
  if (!plan) return undefined;
  const text = JSON.stringify(
    { ...plan, where: Object.keys(plan.where).sort(), codeLines: undefined },
    (key, value: unknown) => (key === 'at' ? undefined : value),
  );
  return JSON.parse(text);
}

describe('formatDocument', () => {
  test('orders keys at every level and keeps what it does not know in place', () => {
    check(
      `workflow:\n- next: {arcs: [{when: a, step: end}]}\n  tool:\n      spec: {policy: {rules: [{then: {attempts: 2, do: retry}, when: a}]}, timeout: 1}\n      url: x\n      kind: http\n  step: start\n- {tool: {kind: noop}, step: end}\nkind: Playbook\nextra: 1\nmetadata: {path: p, name: x}\napiVersion: noetl.io/v2\n`,
      `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: p}\nworkflow:\n  - step: start\n    tool:\n      kind: http\n      url: x\n      spec: {timeout: 1, policy: {rules: [{when: a, then: {do: retry, attempts: 2}}]}}\n    next: {arcs: [{step: end, when: a}]}\n\n  - {step: end, tool: {kind: noop}}\nextra: 1\n`,
    );
  });

  test('keeps comments with what they belong to', () => {
    check(
      `# top\n${head}# flow\nworkflow:\n  # first\n  - tool: {kind: noop} # does nothing\n    # its name\n    step: start\n  # last\n`,
      `# top\n${head}# flow\nworkflow:\n  # first\n  # its name\n  - step: start\n    tool: {kind: noop} # does nothing\n  # last\n`,
    );
  });

  const flow = 'workflow:\n  - step: start\n    tool: {kind: noop}\n';
  test.each([
    ['one', '# top\nmetadata: {name: x}\napiVersion: noetl.io/v10\nkind: Playbook\n', `# top\n${head}`],
    [
      'several, with a blank line between them',
      '# top\n\n# second\nkind: Playbook\nmetadata: {name: x}\napiVersion: noetl.io/v10\n',
      `# top\n\n# second\n${head}`,
    ],
    [
      'one with a blank line behind it',
      '# top\n\nkind: Playbook\nmetadata: {name: x}\napiVersion: noetl.io/v10\n',
      `# top\n\n${head}`,
    ],
    [
      'one, before that of the key that comes first',
      '# top\nmetadata: {name: x}\n# version\napiVersion: noetl.io/v10\nkind: Playbook\n',
      `# top\n# version\n${head}`,
    ],
  ])('comments at the top of the file stay there: %s', (_what, input, expected) => {
    check(input + flow, expected + flow);
  });

  test('keeps quotes, numbers, folded lines and blocks as written', () => {
    const tool = `    tool:
      kind: python
      code: |-  # a block
        if x:
            y = '#'

        z = 1
      args:
        single: 'it''s'
        double: "\\u0041\\n"
        number: 1.50
        hex: 0x1F
        none: ~
        folded: >
          one
          two

          three
        plain: a text
          on two lines
        wide: "${'word '.repeat(40)}"
        flow: [
            1, 2, # pair
            3
          ]
`;
    check(`${head}workflow:\n  - step: start\n${tool}`, `${head}workflow:\n  - step: start\n${tool}`);
  });

  test('moves blocks to two blanks of indent', () => {
    check(
      `${head}workflow:\n- step: start\n  tool:\n     kind: python\n     code: |3\n           x\n        y\n     args: {a: "b\n       c"}\n`,
      `${head}workflow:\n  - step: start\n    tool:\n      kind: python\n      code: |2\n           x\n        y\n      args: {a: "b\n        c"}\n`,
    );
  });

  test('gives line feeds, no byte order mark and one final newline', () => {
    check(
      `\uFEFF${head}workflow:\n- step: start\n  tool: {kind: noop}\n\n\n`.replaceAll('\n', '\r\n'),
      `${head}workflow:\n  - step: start\n    tool: {kind: noop}\n`,
    );
  });

  test('does not put an alias before its anchor', () => {
    const text = `${head}workflow:\n  - step: start\n    next: {arcs: [{step: end, args: &a {x: 1}}]}\n    args: *a\n    tool: {kind: noop}\n\n  - step: end\n    tool: {kind: noop}\n`;
    check(text, text);
  });

  test('formats a playbook that cannot run', () => {
    check(`${head}workflow:\n- step: start\n  when: x\n`, `${head}workflow:\n  - step: start\n    when: x\n`);
  });

  test.each([
    ['kind: Playbook\na: [1\n', 'yaml/syntax'],
    ['kind: Playbook\na: {{ x }}\n', 'playbook/unquoted-template'],
    ['kind: Playbook\na: 1\na: 2\n', 'yaml/duplicate-key'],
    ['foo: []\n', 'document/unknown-kind'],
  ])('refuses what does not parse: %j', (text, code) => {
    const { text: formatted, diagnostics } = formatDocument(text, options);
    expect(formatted).toBeUndefined();
    expect(diagnostics[0]?.code).toBe(code);
  });

  const cases = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/input.yaml`, folder)));
  test.each(cases)('%s: is idempotent and keeps the plan', (name) => {
    const input = readFileSync(new URL(`${name}/input.yaml`, folder), 'utf8');
    const { text } = formatDocument(input, options);
    if (text === undefined) return;
    expect(formatDocument(text, options).text).toBe(text);
    expect(meaning(readDocument(text, options).plan)).toEqual(meaning(readDocument(input, options).plan));
  });

  test('is idempotent and keeps the plan of any playbook', () => {
    fc.assert(
      fc.property(playbookText(), (input) => {
        const before = readDocument(input, options);
        const { text } = formatDocument(input, options);
        expect(text).toBeDefined();
        expect(formatDocument(text!, options).text).toBe(text);
        expect(meaning(readDocument(text!, options).plan)).toEqual(meaning(before.plan));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

/** Playbooks with keys in any order, in block or flow style, with odd text and comments. */
function playbookText(): fc.Arbitrary<string> {
  const scalar = fc.oneof(
    fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text)),
    fc.constantFrom('plain', '1', 'true', "'it''s'", '"{{ workload.a }}"', '1.0', '~'),
  );
  const block = fc
    .array(fc.constantFrom('a', '  b', '', '# not a comment', 'c: {{ x }}', '- d'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((lines) => ['|2', ...lines.map((line) => (line === '' ? '' : `            ${line}`))].join('\n'));
  const pair = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', '"e f"'), fc.oneof(scalar, block));
  const args = fc.uniqueArray(pair, { selector: ([key]) => key, minLength: 1, maxLength: 4 });
  const comment = fc.constantFrom('', '', ' # why', '');
  return fc.tuple(args, comment, fc.boolean(), fc.boolean()).map(([pairs, note, swap, flow]) => {
    const body = pairs.map(([key, value]) => `          ${key}: ${value}`).join('\n');
    const lines = [`    step: start${note}`, `    tool:\n        result:\n${body}\n        kind: noop`];
    const first = (swap ? lines.toReversed() : lines).join('\n').replace(/^ {4}/, '  - ');
    const second = flow
      ? '  - {tool: {kind: noop}, step: end}'
      : `${note.trim()}\n  -   tool: {kind: noop}${note}\n      step: end`;
    return `${head}workflow:\n${first}\n    next: {arcs: [{step: end}]}\n${second}\n`;
  });
}
