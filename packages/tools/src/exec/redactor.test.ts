import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Redactor } from './redactor.ts';

const SECRET = 'sch-lüssel-1';

/** The bytes shown if they arrive in pieces of these sizes. */
function shown(bytes: Buffer, sizes: readonly number[]): Buffer {
  const stream = new Redactor([{ API_TOKEN: SECRET }]).stream();
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    parts.push(stream.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...parts, stream.end()]);
}

it('a secret is redacted however the bytes are split, and other bytes stay unchanged', () => {
  const around = fc.uint8Array({ maxLength: 20 });
  const sizes = fc.array(fc.nat({ max: 8 }), { maxLength: 10 });
  fc.assert(
    fc.property(around, around, sizes, (before, after, pieces) => {
      const bytes = Buffer.concat([before, Buffer.from(SECRET), after]);
      const expected = Buffer.concat([before, Buffer.from('[redacted]'), after]);
      expect(shown(bytes, pieces).equals(expected)).toBe(true);
    }),
  );
});

it('secrets are recognised by variable names, and must have at least six bytes', () => {
  const redactor = new Redactor([
    { DB_PASSWORD: 'hunter22', MY_KEY: 'short', PUBLIC_KEY: 'for everybody', HOME: '/home/user' },
  ]);
  const text = 'hunter22 short for everybody /home/user';
  expect(redactor.text(text)).toBe('[redacted] short for everybody /home/user');
  expect(redactor.value({ a: ['x hunter22'], n: 1 })).toEqual({ a: ['x [redacted]'], n: 1 });
});
