import { describe, expect, test } from 'vitest';
import { formatDocument } from '../format.ts';

const format = (text: string) => formatDocument(text, { kinds: [] });

describe('a workflow in JSON', () => {
  test('stays JSON, in order, with its values as written', () => {
    const text =
      '{"edges": [], "stages": [{"kind": "noop", "x-n": 1.0, "stage_id": "a\\u0041"}], "name": "w"}';
    const made = format(text).text!;
    expect(made).toBe(`{
  "name": "w",
  "stages": [
    {
      "stage_id": "a\\u0041",
      "kind": "noop",
      "x-n": 1.0
    }
  ],
  "edges": []
}
`);
    expect(format(made).text).toBe(made);
  });

  test.each(['{"name": "w",\t"stages": []}', '{"name": "w", "stages": [],}'])('%j too', (text) => {
    const made = format(text).text!;
    expect(made).toBe('{\n  "name": "w",\n  "stages": []\n}\n');
    expect(format(made).text).toBe(made);
  });
});

describe('a workflow in YAML', () => {
  test('keeps its comments and what only its author knows', () => {
    const text = `name: w # its name
stages:
  # the only one
  - stage_id: a
    commands:
      # builds
      - program: make # fast
        args:
          - |
            two
            lines
    x-cost: 3
`;
    expect(format(text)).toEqual({ text, diagnostics: [] });
  });

  test('is formatted even if it cannot run', () => {
    const made = format('stages: [{kind: nop, stage_id: a}]\nname: w\n');
    expect(made.text).toBe('name: w\nstages: [{stage_id: a, kind: nop}]\n');
  });

  test('is refused if it does not parse', () => {
    const { text, diagnostics } = format('stages:\n  - {stage_id: a\n');
    expect(text).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(['yaml/syntax']);
  });
});
