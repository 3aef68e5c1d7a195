import { expect, it } from 'vitest';
import { ReplyBody } from './reply-body.ts';

const PIECE = new Uint8Array(100_000);

/** A connection that delivers everything that it may as soon as it is resumed. */
function connected(pieces: number) {
  let left = pieces;
  let isPaused = false;
  let aborted: unknown;
  const flow = () => {
    while (left > 0 && !isPaused) {
      left -= 1;
      body.add(PIECE);
    }
    if (left === 0 && !isPaused) body.end();
  };
  const body: ReplyBody = new ReplyBody({
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      if (!isPaused) return;
      isPaused = false;
      flow();
    },
    abort: (reason: unknown) => {
      aborted = reason;
    },
  } as never);
  flow();
  return { body, left: () => left, aborted: () => aborted };
}

async function sizeOf(body: ReplyBody): Promise<number> {
  let size = 0;
  for await (const piece of body) size += piece.length;
  return size;
}

it('yields all of a body that comes in bursts, and pauses the connection meanwhile', async () => {
  const { body, left } = connected(100);
  expect(left()).toBeGreaterThan(90);
  expect(await sizeOf(body)).toBe(100 * PIECE.length);
});

it('returns a short body as one piece, and loses nothing of a longer one', async () => {
  expect((await connected(3).body.whole(300_000))?.length).toBe(300_000);
  const longer = connected(3).body;
  expect(await longer.whole(299_999)).toBeUndefined();
  expect(await sizeOf(longer)).toBe(300_000);
});

it('keeps a body of single bytes in few pieces, in order', async () => {
  const { body } = connected(0);
  const whole = new ReplyBody({ pause() {}, resume() {}, abort() {} } as never);
  const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);
  for (const byte of bytes) {
    body.add(Uint8Array.of(byte));
    whole.add(Uint8Array.of(byte));
  }
  whole.end();
  let pieces = 0;
  for await (const _ of body) pieces += 1;
  expect(pieces).toBeLessThan(2000);
  expect([...(await whole.whole(5000))!]).toEqual([...bytes]);
});

it('closes the connection if its reader stops early, or if an unwanted body is long', async () => {
  const [stopped, dumped, short] = [connected(100), connected(100), connected(1)];
  for await (const _ of stopped.body) break;
  await dumped.body.dump();
  await short.body.dump();
  expect([stopped, dumped, short].map(({ aborted }) => aborted() !== undefined)).toEqual([true, true, false]);
});

it('reports what broke', async () => {
  const { body } = connected(2);
  body.end({ error: new Error('reset') });
  await expect(sizeOf(body)).rejects.toThrow('reset');
});
