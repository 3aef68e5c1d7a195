import { describe, expect, test } from 'vitest';
import { toJsonForm } from './json-form.ts';
import { parseNotebook } from './parse.ts';
import { toPercentScript } from './percent-script.ts';
import { latestEntries, parseSidecar, printSidecarLine } from './sidecar.ts';

const F = '```';
const notebookOf = (text: string) =>
  parseNotebook(`%WOOFNB 1.0\nname: x\nlanguage: python\n${text}`).notebook;

describe('sidecar', () => {
  const entry = {
    cell: 'a',
    timestamp: '2024-01-01T00:00:00.000Z',
    outputs: [{ output_type: 'stream', text: 'x' }],
  };

  test('the latest entry of a cell wins; a truncated last line is ignored', () => {
    const later = { ...entry, outputs: [], cached: true };
    const text = `${printSidecarLine(entry)}\n${printSidecarLine({ ...entry, cell: 'b' })}${printSidecarLine(later)}{"cell":"b","outp`;
    const { entries, isTorn, diagnostics } = parseSidecar(text);
    expect([isTorn, diagnostics]).toEqual([true, []]);
    expect(latestEntries(entries).get('a')).toEqual(later);
    expect(latestEntries(entries).get('b')).toEqual({ ...entry, cell: 'b' });
  });

  test('a bad line in the middle is reported', () => {
    const { entries, diagnostics } = parseSidecar(`{"cell":1}\nnull\n${printSidecarLine(entry)}`);
    expect(entries).toEqual([entry]);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
      ['notebook/sidecar-line', 1],
      ['notebook/sidecar-line', 2],
    ]);
  });
});

test('the JSON form has typed tokens', () => {
  const cell = `${F}cell id=a type=code deps=b,c timeout=3 disabled=true retries=x x-own=1\nbody\n${F}\n`;
  expect(toJsonForm(notebookOf(cell))).toEqual({
    file: 'WOOFNB',
    version: '1.0',
    header: { name: 'x', language: 'python' },
    cells: [
      {
        id: 'a',
        type: 'code',
        deps: ['b', 'c'],
        timeout: 3,
        disabled: true,
        retries: 'x',
        'x-own': '1',
        body: 'body',
      },
    ],
  });
});

describe('percent script', () => {
  test('comments what the language cannot run and binds data', () => {
    const cells = [
      `${F}cell id=t type=md\n# Title\n\ntext\n${F}`,
      `${F}cell id=cfg type=data\n{"a": 1}\n${F}`,
      `${F}cell id=c type=code\n%time f()\nx = cfg["a"]\n${F}`,
      `${F}cell id=s type=bash\nls\n${F}`,
    ];
    expect(toPercentScript(notebookOf(cells.join('\n')))).toBe(
      '# ---\n# name: x\n# language: python\n# ---\n\n# %%\nimport json\n\n# %% [markdown] id=t type=md\n# # Title\n#\n# text\n\n' +
        '# %% id=cfg type=data\ncfg = json.loads("{\\"a\\": 1}")\n\n# %% id=c type=code\n# %time f()\nx = cfg["a"]\n\n' +
        '# %% [bash] id=s type=bash\n# ls\n',
    );
  });

  test('keeps own tokens, and leaves out what only Jupyter knows', () => {
    const cell = `${F}cell id=a type=code x-own=1 x-jupyter="{}"\n1\n${F}\n`;
    expect(toPercentScript(notebookOf(cell))).toContain('# %% id=a type=code x-own=1\n1\n');
  });

  test('puts imports from __future__ first, once', () => {
    const future = 'from __future__ import annotations';
    const cells = [
      `${F}cell id=d type=data\n[1]\n${F}`,
      `${F}cell id=a type=code\n"""what it does"""\n# why\n${future}\nx = 1\n${F}`,
      `${F}cell id=b type=code\n${future}; from __future__ import (\n  division,\n); y = "\n${future}"\n${F}`,
      `${F}cell id=c type=code disabled=true\nfrom __future__ import generators\n${F}`,
    ];
    const script = toPercentScript(notebookOf(cells.join('\n')));
    expect(script).toBe(
      '# ---\n# name: x\n# language: python\n# ---\n\n' +
        `# %%\n${future}\nfrom __future__ import (\n  division,\n)\n\n# %%\nimport json\n\n` +
        '# %% id=d type=data\nd = json.loads("[1]")\n\n' +
        `# %% id=a type=code\n"""what it does"""\n# why\n# ${future}\nx = 1\n\n` +
        `# %% id=b type=code\n# ${future};\n# from __future__ import (\n#   division,\n# );\ny = "\n${future}"\n\n` +
        '# %% id=c type=code disabled=true\n# from __future__ import generators\n',
    );
  });

  test('is in an order in which it runs', () => {
    const text = `execution: {order: graph}\n${F}cell id=b type=code deps=a\nb\n${F}\n${F}cell id=t type=md\nt\n${F}\n${F}cell id=a type=code\na\n${F}\n`;
    const heads = [...toPercentScript(notebookOf(text)).matchAll(/^# %%.* id=(\w)/gm)].map(([, id]) => id);
    expect(heads).toEqual(['t', 'a', 'b']);
  });
});
