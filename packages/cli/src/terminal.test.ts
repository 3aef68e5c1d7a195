import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { duration, harmless, oneLine, preview, shorten, table } from './terminal.ts';
import { fitted, fittingRows, joined, widthOf } from './text-width.ts';

describe('text for a terminal', () => {
  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1500, '1.5 s'],
    [61_000, '1 min 1 s'],
    [3_660_000, '1 h 1 min'],
  ])('duration of %i', (ms, text) => expect(duration(ms)).toBe(text));

  test('control and direction characters become visible', () => {
    expect(harmless('a\u001b[2J\nb\u202Ec')).toBe('a\uFFFD[2J\uFFFDb\uFFFDc');
    expect(oneLine('a:\n\n  b\tc\r\nd')).toBe('a: b\uFFFDc d');
    expect(harmless('a\n\tb\r', 'lines')).toBe('a\n\tb\uFFFD');
  });

  test('shortening counts columns, not code units or colours', () => {
    expect(shorten('🐶🐶🐶', 3)).toBe('🐶…');
    expect(fitted('\u001b[31mabcdef\u001b[0m', 4)).toBe('\u001b[31mabc\u001b[0m…');
    expect(fitted('\u001b[31mabc\u001b[0m', 3)).toBe('\u001b[31mabc\u001b[0m');
    expect(fitted('日本語の', 6)).toBe('日本…');
    expect(preview({ a: 'x'.repeat(50) }, 10)).toHaveLength(10);
  });

  test.each([
    ['a\tb', 9],
    ['12345678\tb', 17],
    ['日本', 4],
    ['✅⭐⚡🚀', 8],
    ['e\u0301', 1],
    ['\u001b[1mab\u001b[0m', 2],
  ])('%j takes %i columns', (text, columns) => expect(widthOf(text)).toBe(columns));

  test('a text with tabs is cut where the screen ends', () => {
    expect(fitted('a\tb\tc', 12)).toBe('a\tb…');
    expect(fitted('\u001b[31mabcd\u001b[0m日本', 5)).toBe('\u001b[31mabcd\u001b[0m…');
  });

  test('a long line is measured only as far as it is shown', () => {
    const looks = vi.spyOn(RegExp.prototype, 'test');
    onTestFinished(() => looks.mockRestore());
    const looksFor = (text: string, cut: (text: string) => string) => {
      looks.mockClear();
      const shown = cut(text);
      return [shown, looks.mock.calls.length] as const;
    };
    const [line, few] = looksFor('日'.repeat(50_000), (text) => fitted(text, 6));
    expect([line, few < 50]).toEqual(['日日…', true]);
    const [rows, some] = looksFor(`${'日'.repeat(50_000)}\nb`, (text) => fittingRows(text, 3, 2));
    expect([rows, some < 50]).toEqual(['日日…', true]);
    const [whole, all] = looksFor('日'.repeat(100), (text) => fitted(text, 200));
    expect([whole.length, all > 100]).toEqual([100, true]);
  });

  test('parts that do not fit on one line are below each other', () => {
    expect(joined(['done', 'run x'], ', ', 12)).toBe('done, run x');
    expect(joined(['done', 'run x'], ', ', 11)).toBe('done,\n  run x');
  });

  test('only as many lines as fit the rows, counting wrapped lines', () => {
    expect(fittingRows('a\nb\nc', 10, 2)).toBe('a\nb');
    expect(fittingRows(`${'x'.repeat(25)}\nb`, 10, 2)).toBe(`${'x'.repeat(19)}…`);
    expect(fittingRows('a\nb', Number.POSITIVE_INFINITY, 1)).toBe('a\nb');
  });

  test('columns align, with or without colours', () => {
    expect(
      table([
        ['a', 'b'],
        ['\u001b[1mlong\u001b[0m', 'c'],
      ]),
    ).toBe('a     b\n\u001b[1mlong\u001b[0m  c\n');
  });
});
