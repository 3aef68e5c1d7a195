import { expect, test } from 'vitest';
import { logPieces } from './log-pieces.ts';

const piecesOf = (line: string) => logPieces(line).map(({ kind, text }) => `${kind}:${text}`);

test('colours become classes', () => {
  expect(piecesOf('\u001b[1;31mred\u001b[0m plain')).toEqual(['ansi-red bold:red', ': plain']);
});

test('every colour and decoration has its class, and ends', () => {
  const line =
    '\u001b[93;44mA\u001b[3;39mB\u001b[23mC\u001b[49mD\u001b[38;5;9mE\u001b[38;2;1;2;3;4mF\u001b[mG';
  expect(piecesOf(line)).toEqual([
    'ansi-yellow ansi-blue-bg:A',
    'ansi-blue-bg italic:B',
    'ansi-blue-bg:C',
    ':D',
    'ansi-red:E',
    'underline:F',
    ':G',
  ]);
});

test('colons keep a code and what belongs to it together', () => {
  const line =
    '\u001b[1;38:2::255:0:0mA\u001b[38:5:9mB\u001b[48:2:1:2:3;58:2::1:4:9;22mC\u001b[0;4:3mD\u001b[4:0mE';
  expect(piecesOf(line)).toEqual(['bold:A', 'ansi-red bold:B', 'ansi-red:C', 'underline:D', ':E']);
});

test('a code that does not name a colour consumes nothing of what follows', () => {
  expect(piecesOf('\u001b[28;31mA\u001b[8;5;1mB')).toEqual(['ansi-red:A', 'ansi-red bold:B']);
});

test('codes that would move a cursor or name a window are removed', () => {
  expect(piecesOf('a\u001b[2J\u001b[10;10Hb\u001b]0;title\u0007c\u001b]8;;http://x\u001b\\d')).toEqual([
    ':a',
    ':b',
    ':c',
    ':d',
  ]);
});

test('nothing in a line controls the page, and everything else stays as it is', () => {
  expect(piecesOf('a\u202eb\u0007\u001b]0;title')).toEqual([':a\\u202eb\\u0007\\u001b]0;title']);
  expect(piecesOf('<b>\t&amp; é, 漢, 🐕')).toEqual([':<b>\t&amp; é, 漢, 🐕']);
});
