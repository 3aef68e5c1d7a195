import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EmbeddedChannel } from './embedded-channel.ts';

it('finds messages however the stream is split, in their place among the output', () => {
  const token = 'a'.repeat(32);
  const message = `\x1e${token}ffffffff\x1e{"n":1}\n`;
  const piece = fc.constantFrom(message, 'text\n', '\x1e', `\x1e${token}`, `\x1e${token}00000001\x1e`);
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(400)), (pieces, cuts) => {
      const bytes = Buffer.from(`${pieces.join('')}end`);
      let seen = '';
      const channel = new EmbeddedChannel(
        (part) => {
          seen += part.toString('latin1');
        },
        (line) => {
          seen += `<${line}>`;
        },
      );
      channel.expect(token);
      const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
      for (const [i, end] of places.slice(1).entries()) channel.write(bytes.subarray(places[i], end));
      expect(seen).toBe(`${pieces.join('')}end`.replaceAll(message, '<{"n":1}>'));
    }),
  );
});
