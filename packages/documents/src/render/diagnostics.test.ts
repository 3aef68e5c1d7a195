import type { Diagnostic } from '@woof/net';
import { expect, test } from 'vitest';
import { renderDiagnostics } from './diagnostics.ts';

const base: Diagnostic = {
  code: 'playbook/unknown-kind',
  severity: 'error',
  message: 'no tool kind "htp"',
  line: 2,
  column: 18,
  endColumn: 21,
  hint: 'did you mean "http"?',
};

function check(diagnostic: Partial<Diagnostic>, text: string, expected: string): void {
  expect(renderDiagnostics([{ ...base, ...diagnostic }], text, 'a.yaml', { color: false })).toBe(expected);
}

test('shows the place, the code and the line with the spot underlined', () => {
  check(
    {},
    'x:\n    tool: {kind: htp}\n',
    `a.yaml:2:18  error  playbook/unknown-kind
  2 |     tool: {kind: htp}
    |                  ^^^ no tool kind "htp"; did you mean "http"?
`,
  );
});

test('keeps the underline in place after tabs and wide characters', () => {
  check(
    { line: 1, column: 4, endColumn: 5, message: 'm' },
    '\t日a!',
    `a.yaml:1:4  error  playbook/unknown-kind
  1 |  日a!
    |     ^ m; did you mean "http"?
`,
  );
});

test.each([
  ['🚀', 2],
  ['✅', 2],
  ['￥', 2],
  ['🇩🇪', 2],
  ['é', 1],
  ['e\u0301', 1],
])('counts %s as %d columns before the underline', (character, width) => {
  const column = character.length + 1;
  const text = `${character}!`;
  const mark = `${' '.repeat(width)}^ m; did you mean "http"?`;
  const head = `a.yaml:1:${column}  error  playbook/unknown-kind`;
  check(
    { line: 1, column, endColumn: column + 1, message: 'm' },
    text,
    `${head}\n  1 | ${text}\n    | ${mark}\n`,
  );
});

test('crops a long line around the spot', () => {
  const rendered = renderDiagnostics(
    [{ ...base, line: 1, column: 5000, endColumn: 5003 }],
    'x'.repeat(10_000),
    'f',
    { color: false },
  );
  const [, line, mark] = rendered.split('\n');
  expect(line!.length).toBeLessThan(140);
  expect(mark!.indexOf('^')).toBeLessThan(80);
});

test('lets nothing from a document control the terminal', () => {
  const text = 'a: "\u001b[31m\u0007"';
  const rendered = renderDiagnostics(
    [{ ...base, line: 1, message: '\u001b]0;x\u0007\n' }],
    text,
    '\u001b[2J',
    { color: false },
  );
  for (const steering of ['\u001b', '\u0007']) expect(rendered).not.toContain(steering);
});

test('says where even if the line does not exist', () => {
  check(
    { line: 9, column: 1, endColumn: 2, message: 'm' },
    '',
    `a.yaml:9:1  error  playbook/unknown-kind
  9 |
    | ^ m; did you mean "http"?
`,
  );
});

test('colours the severity', () => {
  const rendered = renderDiagnostics([{ ...base, severity: 'warning' }], '', 'f', { color: true });
  expect(rendered).toContain('\u001b[33mwarning\u001b[0m');
});
