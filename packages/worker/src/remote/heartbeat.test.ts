import { expect, it } from 'vitest';
import { Heartbeat } from './heartbeat.ts';

const TTL_MS = 9000;
const AGAIN_MS = 3000;

/** A worker whose clocks and server the test controls. */
function beating() {
  const clocks = { wall: 1_000_000, mono: 0 };
  const world = { sent: 0, takesMs: 0, fails: false };
  const heartbeat = new Heartbeat({
    now: () => clocks.wall,
    uptime: () => clocks.mono,
    send: async () => {
      world.sent += 1;
      pass(world.takesMs);
      if (world.fails) throw new Error('the server does not answer');
      return { now: 0, stop: [], ttl_ms: TTL_MS, again_ms: AGAIN_MS };
    },
    onFailed: () => true,
  });
  const pass = (ms: number) => {
    clocks.wall += ms;
    clocks.mono += ms;
  };
  return { clocks, world, heartbeat, pass, refresh: () => heartbeat.refresh(() => true) };
}

it('sends nothing while its last beat is recent, and one beat for all callers when it is not', async () => {
  const { heartbeat, world, pass, refresh } = beating();
  expect(heartbeat.isFresh).toBe(false);
  await Promise.all([refresh(), refresh(), refresh()]);
  expect([heartbeat.isFresh, world.sent]).toEqual([true, 1]);
  pass(TTL_MS - AGAIN_MS - 1);
  expect(heartbeat.isFresh).toBe(true);
  pass(1);
  expect(heartbeat.isFresh).toBe(false);
  await refresh();
  expect([heartbeat.isFresh, world.sent]).toEqual([true, 2]);
  expect(heartbeat.hasKept(TTL_MS - AGAIN_MS + 1)).toBe(false);
  expect(heartbeat.hasKept(TTL_MS - AGAIN_MS - 1)).toBe(true);
});

it('keeps no lease from before a silence as long as the ttl', async () => {
  for (const stopped of ['wall', 'mono'] as const) {
    const { heartbeat, clocks, pass, refresh } = beating();
    await refresh();
    pass(10);
    // One of the clocks may stand still, or be set back.
    clocks[stopped] += TTL_MS;
    await refresh();
    expect(heartbeat.isFresh).toBe(true);
    expect(heartbeat.hasKept(TTL_MS)).toBe(false);
    pass(5);
    expect(heartbeat.hasKept(4)).toBe(true);
  }
});

it('counts a beat from when it was sent, and a silence until it was answered', async () => {
  const { heartbeat, world, pass, refresh } = beating();
  await refresh();
  pass(TTL_MS - 1000);
  world.takesMs = 1000;
  await refresh();
  expect(heartbeat.isFresh).toBe(true);
  expect(heartbeat.hasKept(TTL_MS)).toBe(false);
});

it('a lease is named in time while at most one beat was sent since', async () => {
  const { heartbeat, pass, refresh } = beating();
  expect(heartbeat.namesInTime(60_000)).toBe(true);
  await refresh();
  expect(heartbeat.namesInTime(60_000)).toBe(true);
  pass(TTL_MS);
  await refresh();
  pass(100);
  expect([heartbeat.namesInTime(TTL_MS + 99), heartbeat.namesInTime(TTL_MS + 100)]).toEqual([true, false]);
});

it('keeps asking a server that does not answer, until nobody wants to know', async () => {
  const { heartbeat, world } = beating();
  world.fails = true;
  await heartbeat.refresh(() => world.sent < 3);
  expect([world.sent, heartbeat.isFresh]).toEqual([3, false]);
});
