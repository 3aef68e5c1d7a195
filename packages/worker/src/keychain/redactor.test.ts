import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redactor } from './redactor.ts';

const SECRET = 'cAnary-9/ü+ "quoted"\\tail';

function redactorOf(...values: string[]): Redactor {
  const redactor = new Redactor();
  values.forEach((value, index) => {
    redactor.add(`entry.f${index}`, value);
  });
  return redactor;
}

describe('a secret in a text', () => {
  const bytes = Buffer.from(SECRET);
  test.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify({ a: SECRET })],
    ['in JSON within JSON', JSON.stringify({ a: JSON.stringify(SECRET) })],
    ['in JSON as Python writes it', JSON.stringify(SECRET).replaceAll('ü', '\\u00fc')],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded in small letters', encodeURIComponent(SECRET).toLowerCase().replaceAll('canary', 'cAnary')],
    ['in a form', new URLSearchParams({ q: SECRET }).toString()],
    ['in base64', bytes.toString('base64')],
    ['in base64 for URLs', bytes.toString('base64url')],
    ['in base64 after one byte', Buffer.concat([Buffer.from(':'), bytes]).toString('base64')],
    ['in base64 of user and password', Buffer.from(`someone:${SECRET}`).toString('base64')],
    ['in base64 within more', Buffer.from(`{"a":"x${SECRET}y and more"}`).toString('base64')],
    ['in hexadecimal', bytes.toString('hex')],
  ])('is hidden %s', (_, text) => {
    const redacted = redactorOf(SECRET).text(`before ${text} after`);
    expect(redacted).toContain('***entry.f0***');
    expect(redacted).toMatch(/^before .* after$/s);
    for (const plain of [redacted, Buffer.from(redacted, 'base64').toString()])
      expect(plain).not.toMatch(/cAnary-9/);
  });

  test('is hidden in keys, lists and numbers too', () => {
    const redactor = redactorOf('keyname', '12345678');
    expect(redactor.json({ a: [{ keyname: 1 }], b: 12345678, c: 'x keyname' })).toEqual({
      a: [{ '***entry.f0***': 1 }],
      b: '***entry.f1***',
      c: 'x ***entry.f0***',
    });
  });

  test('is found in values, whichever letters JSON escapes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, unit: 'binary' }), fc.string(), (secret, around) => {
        const redactor = redactorOf(secret);
        const told = redactor.json({ a: [{ [`k${secret}`]: `${around}${secret}${around}` }] });
        expect(JSON.stringify(told)).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
  });

  test('is left alone if it is short', () => {
    const redactor = redactorOf('abcde');
    expect(redactor.text('abcde')).toBe('abcde');
    expect(redactor.hidesNothing).toBe(true);
  });

  test('hides the lines of a key one by one', () => {
    const key =
      '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQC7\n-----END KEY-----';
    const redactor = redactorOf(key);
    expect(redactor.text('line: MIIEvQIBADANBgkqhkiG9w0BAQEF')).toBe('line: ***entry.f0***');
    expect(redactor.text(key)).toBe('***entry.f0***');
  });
});

describe('a stream', () => {
  const pieces = (text: string, cuts: readonly number[]) => {
    const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort(
      (a, b) => a - b,
    );
    return at.slice(1).map((end, index) => text.slice(at[index], end));
  };
  const through = (redactor: Redactor, parts: readonly string[]) => {
    const stream = redactor.stream();
    return parts.map((part) => stream.write(part)).join('') + stream.end();
  };

  test('is redacted as its whole text would be, wherever it is cut', () => {
    const secrets = ['sesame1', 'sesame123456', 'mesesame'];
    const word = fc.constantFrom(...secrets, 'se', 'sesame', 'm', ' ', '12345', 'x');
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.nat(200)), (words, cuts) => {
        const redactor = redactorOf(...secrets);
        const text = words.join('');
        expect(through(redactor, pieces(text, cuts))).toBe(redactor.text(text));
      }),
    );
  });

  test('passes on at once what cannot become a secret', () => {
    const stream = redactorOf('sesame1').stream();
    expect(stream.write('hello ses')).toBe('hello ');
    expect(stream.write('t\n')).toBe('sest\n');
  });

  test('of bytes keeps what is not text', async () => {
    const value = 'pässwörd';
    const source = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(value), Buffer.from([254])]);
    const chunks: Uint8Array[] = [];
    async function* bytes() {
      for (const byte of source) yield Uint8Array.of(byte);
    }
    for await (const chunk of redactorOf(value).bytes(bytes())) chunks.push(chunk);
    const expected = [Buffer.from([0, 255, 128]), Buffer.from('***entry.f0***'), Buffer.from([254])];
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat(expected));
  });
});
