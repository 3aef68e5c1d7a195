import { expect, test } from 'vitest';
import { undecoded } from './undecoded.ts';

const check = (bytes: number[], expected: object | undefined) => {
  const given = Uint8Array.from(bytes);
  const found = undecoded(new TextDecoder('utf-8', { ignoreBOM: true }).decode(given), given);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
};

test('a byte that is not UTF-8 is found at its place; a literal replacement character is not reported', () => {
  check([0x61, 0xef, 0xbf, 0xbd, 0x0a], undefined);
  check([0xef, 0xbb, 0xbf, 0x61, 0xc3, 0xa9], undefined);
  check([0xef, 0xbf, 0xbd, 0x0a, 0xc3, 0xa9, 0xe9, 0x0a], {
    line: 2,
    column: 2,
    message: 'the byte 0xe9 here is not valid UTF-8',
  });
  check([0x61, 0xe2, 0x82], { line: 1, column: 2 });
  check([0x61, 0xef, 0xbf], { line: 1, column: 2 });
  check([0xff, 0xfe, 0x00], { line: 1, column: 1 });
});
