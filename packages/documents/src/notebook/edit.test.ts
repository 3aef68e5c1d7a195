import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { insertCell, removeCell, setCellBody, setCellToken } from './edit.ts';
import { bodies, cellSpecs } from './fixtures/notebook-texts.ts';
import { printNotebook } from './notebook.ts';
import { notebookOf } from './notebook-of.ts';
import { parseNotebook } from './parse.ts';

const F = '```';
const TEXT = `\n%WOOFNB 1.0\r\nname: x\n\n text\n  ${F}cell  id=a   type=code deps= # odd\nx\n ${F} \n\n${F}cell id=b type=md\n${F}`;
const notebook = parseNotebook(TEXT).notebook;
const print = (edited: typeof notebook | undefined) => edited && printNotebook(edited);

describe('edits touch only what they edit', () => {
  test('a body', () => {
    expect(print(setCellBody(notebook, 'a', 'y = 2'))).toBe(TEXT.replace('\nx\n', '\ny = 2\n'));
    expect(print(setCellBody(notebook, 'b', ''))).toBe(`${TEXT}\n`.slice(0, -1));
  });

  test('a body that needs a longer fence gets one', () => {
    const edited = setCellBody(notebook, 'a', F)!;
    expect(edited.cells.map((cell) => cell.body)).toEqual([F, '']);
    expect(print(edited)).toContain(`  \`\`\`\`cell  id=a   type=code deps= # odd\n${F}\n\`\`\`\``);
  });

  test('a token: changed, added, removed', () => {
    expect(print(setCellToken(notebook, 'a', 'deps', 'b'))).toBe(TEXT.replace('deps=', 'deps=b'));
    expect(print(setCellToken(notebook, 'b', 'name', 'A "b"'))).toBe(
      TEXT.replace('type=md', 'type=md name="A \\"b\\""'),
    );
    expect(print(setCellToken(notebook, 'a', 'type', undefined))).toBe(TEXT.replace('   type=code', ''));
    expect(setCellToken(notebook, 'a', 'name', 'two\nlines')).toBeUndefined();
    expect(setCellToken(notebook, 'nosuch', 'name', 'x')).toBeUndefined();
  });

  test('a cell: removed, inserted', () => {
    expect(print(removeCell(notebook, 'b'))).toBe(TEXT.slice(0, TEXT.indexOf(`\n${F}cell id=b`)));
    const added = { tokens: { id: 'n', type: 'code' }, body: 'z' };
    const first = insertCell(notebook, 0, added)!;
    expect(first.cells.map((cell) => cell.id)).toEqual(['n', 'a', 'b']);
    const last = insertCell(notebook, 9, added)!;
    expect(last.cells.map((cell) => cell.id)).toEqual(['a', 'b', 'n']);
    expect(print(removeCell(first, 'n'))).toContain(TEXT.slice(TEXT.indexOf('  ```cell')));
  });
});

test('a body that is set is the body that is read', () => {
  fc.assert(
    fc.property(cellSpecs, bodies, (specs, body) => {
      const made = notebookOf({ header: { name: 'x', language: 'python' }, cells: specs })!;
      for (const { id } of specs) {
        const edited = setCellBody(made, id, body)!;
        expect(edited.cell(id)!.body).toBe(body);
        expect(edited.cells.filter((cell) => cell.id !== id).map((cell) => cell.body)).toEqual(
          specs.filter((cell) => cell.id !== id).map((cell) => cell.body),
        );
      }
    }),
    { numRuns: 500 },
  );
});
