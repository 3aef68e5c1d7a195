import { describe, expect, test } from 'vitest';
import { duration, harmless, preview, shorten, shortenPainted, table } from './terminal.ts';

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
    expect(harmless('a\n\tb\r', 'lines')).toBe('a\n\tb\uFFFD');
  });

  test('shortening counts characters, not code units or colours', () => {
    expect(shorten('🐶🐶🐶', 2)).toBe('🐶…');
    expect(shortenPainted('\u001b[31mabcdef\u001b[0m', 4)).toBe('\u001b[31mabc\u001b[0m…');
    expect(shortenPainted('\u001b[31mabc\u001b[0m', 3)).toBe('\u001b[31mabc\u001b[0m');
    expect(shortenPainted('日本語の', 6)).toBe('日本…');
    expect(preview({ a: 'x'.repeat(50) }, 10)).toHaveLength(10);
  });

  test('columns align, colours or not', () => {
    expect(
      table([
        ['a', 'b'],
        ['\u001b[1mlong\u001b[0m', 'c'],
      ]),
    ).toBe('a     b\n\u001b[1mlong\u001b[0m  c\n');
  });
});
