import { expect, it } from 'vitest';
import { compileNotebook, readDocument } from '../index.ts';
import { stepLines } from './step-lines.ts';

const KINDS = [{ kind: 'noop', summary: '', fields: { result: { type: 'any', doc: '' } } }] as const;

/** Each step, and the text of its lines. */
function check(text: string, expected: Record<string, string>): void {
  const read = readDocument(text, { kinds: KINDS as never });
  const plan = read.notebook ? compileNotebook(read.notebook) : read.plan!;
  const lines = text.split('\n');
  const found = Object.entries(stepLines(text, plan)).map(([name, { line, end_line }]) => [
    name,
    lines.slice(line - 1, end_line).join('\n'),
  ]);
  expect(Object.fromEntries(found)).toEqual(expected);
}

const HEAD = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: t}\nworkflow:\n';

it('a step ends before the next one, the comment above that, and the end of the section', () => {
  const start = '  - step: start\n    tool:\n      kind: noop\n      result: |\n        a\n\n        # b';
  const next = '    next: {arcs: [{step: end}]}';
  const end = '  - step: end\n    tool: {kind: noop}';
  check(`${HEAD}${start}\n${next}\n\n  # the last one\n${end}\n\nworkload:\n  n: 1\n`, {
    start: `${start}\n${next}`,
    end,
  });
});

it('a step in one line, and one in JSON', () => {
  check(`${HEAD}- {step: start, tool: {kind: noop}}\n`, { start: '- {step: start, tool: {kind: noop}}' });
  const step = '    {\n      "step": "start",\n      "tool": {"kind": "noop"}\n    }';
  const rest = '"apiVersion": "noetl.io/v10",\n  "kind": "Playbook",\n  "metadata": {"name": "t"}';
  check(`{\n  ${rest},\n  "workflow": [\n${step}\n  ]\n}\n`, { start: step });
});

it('a cell ends with its fence, even if it contains a shorter or longer one', () => {
  const a = '````cell id=a type=bash\necho\n```\n`````\n````';
  const b = '```cell id=b type=bash\necho\n```';
  check(`%WOOFNB 1.0\nname: n\nlanguage: bash\n\n${a}\n\ntext\n\n${b}\n`, { a, b });
});
