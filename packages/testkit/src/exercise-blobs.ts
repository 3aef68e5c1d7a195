/** The conformance suite of blobs: every implementation runs it. */
import { createHash, randomBytes } from 'node:crypto';
import type { Reference } from '@woof/net';
import { BlobError, type BlobStore } from '@woof/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export interface BlobsFixture {
  blobs: BlobStore;
  /** Why `getText` returns nothing here even after `bring`, if so. */
  withoutText?: string;
  /** Changes a byte of the stored value. */
  damage(reference: Reference): Promise<void>;
  dispose(): Promise<void>;
}

const options = { hint: { type: 'array' }, maxBytes: 8 * 1024 * 1024 };

async function* inPieces(bytes: Uint8Array, size = 100_000): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* breaking(): AsyncIterable<Uint8Array> {
  yield randomBytes(600_000);
  throw new Error('the source broke');
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function referenceOf(bytes: Uint8Array): Reference {
  const key = digest(bytes);
  return { store: 'file', key, checksum: `sha256:${key}`, size: bytes.length, schema_hint: null };
}

export function exerciseBlobs(name: string, make: () => Promise<BlobsFixture>): void {
  describe(`blobs: ${name}`, () => {
    let fixture: BlobsFixture;
    let blobs: BlobStore;
    beforeEach(async () => {
      fixture = await make();
      blobs = fixture.blobs;
    });
    afterEach(() => fixture.dispose());

    const read = async (reference: Reference) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of blobs.get(reference)) pieces.push(piece);
      return Buffer.concat(pieces);
    };
    const faultOf = (work: () => unknown) =>
      (async () => work())().then(
        () => 'none',
        (error: unknown) => {
          if (error instanceof BlobError) return error.fault;
          throw error;
        },
      );

    it.each([0, 1, 262_144, 262_145, 3_000_000])('returns %i bytes', async (size) => {
      const bytes = randomBytes(size);
      const reference = await blobs.put(inPieces(bytes), options);
      const key = digest(bytes);
      expect(reference).toMatchObject({ key, checksum: `sha256:${key}`, size, schema_hint: options.hint });
      expect((await read(reference)).equals(bytes)).toBe(true);
      await blobs.bring(reference);
      expect((await read(reference)).equals(bytes)).toBe(true);
    });

    it('takes bytes in any chunks, even from a reused buffer', async () => {
      const bytes = randomBytes(700_000);
      async function* reusing() {
        const buffer = Buffer.alloc(1000);
        for (let at = 0; at < bytes.length; at += 1000) {
          bytes.copy(buffer, 0, at, at + 1000);
          yield buffer;
        }
      }
      const reference = await blobs.put(reusing(), options);
      expect(reference.key).toBe(digest(bytes));
      expect((await read(reference)).equals(bytes)).toBe(true);
    });

    it('stores equal values under one key, even if they arrive at once', async () => {
      const bytes = randomBytes(500_000);
      const references = await Promise.all([1, 2, 3].map(() => blobs.put(inPieces(bytes), options)));
      expect(new Set(references.map(({ key }) => key)).size).toBe(1);
      await blobs.put(inPieces(bytes), options);
      expect((await read(references[0]!)).equals(bytes)).toBe(true);
    });

    it('refuses what is larger than allowed, and keeps nothing of it', async () => {
      const bytes = randomBytes(600_000);
      const put = () => blobs.put(inPieces(bytes), { hint: null, maxBytes: bytes.length - 1 });
      expect(await faultOf(put)).toBe('too_large');
      expect(await faultOf(() => read(referenceOf(bytes)))).toBe('missing');
      expect(await faultOf(() => blobs.put(inPieces(bytes), { hint: null, maxBytes: bytes.length }))).toBe(
        'none',
      );
    });

    it('keeps nothing of a source that broke', async () => {
      await expect(blobs.put(breaking(), options)).rejects.toThrow('the source broke');
    });

    it('says what is missing, and accepts no path as a key', async () => {
      const reference = referenceOf(randomBytes(10));
      expect(await faultOf(() => read(reference))).toBe('missing');
      expect(await faultOf(() => blobs.bring(reference))).toBe('missing');
      for (const key of ['../../../etc/passwd', '', 'A'.repeat(64), '\u0000']) {
        expect(await faultOf(() => read({ ...reference, key }))).toBe('missing');
      }
    });

    it('returns a text at once after it was brought', async (context) => {
      const text = 'a\u0000b ü😀 '.repeat(40_000);
      const reference = referenceOf(Buffer.from(text));
      await blobs.putBytes(Buffer.from(text), reference);
      await blobs.putBytes(Buffer.from(text), reference);
      expect((await read(reference)).toString()).toBe(text);
      await blobs.bring(reference);
      if (fixture.withoutText) {
        expect(await faultOf(() => blobs.getText(reference))).toBe('not_at_hand');
        return context.skip(fixture.withoutText);
      }
      expect(blobs.getText(reference)).toBe(text);
    });

    it('notices damage', async () => {
      const bytes = randomBytes(300_000);
      const reference = await blobs.put(inPieces(bytes), options);
      expect((await read(reference)).equals(bytes)).toBe(true);
      await fixture.damage(reference);
      expect(await faultOf(() => read(reference))).toBe('damaged');
      expect(await faultOf(() => blobs.getText(reference))).toMatch(/damaged|not_at_hand/);
    });

    it('lets a reader stop early', async () => {
      const reference = await blobs.put(inPieces(randomBytes(2_000_000)), options);
      for await (const piece of blobs.get(reference)) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
      expect((await read(reference)).length).toBe(2_000_000);
    });
  });
}
