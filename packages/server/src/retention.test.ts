import { MemoryStore, type Records } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { Audit } from './access/audit.ts';
import { Tokens } from './access/tokens.ts';
import { ended, ONE_STEP, testServer, testWorker, until } from './fixtures/test-server.ts';
import { Retention } from './retention.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 15);
/** More than the number of pieces that any sweep in these tests needs. */
const PIECES = 60;

async function keysOf(records: Records, collection: string): Promise<number> {
  return (await records.list(collection)).length;
}

async function sweep(records: Records, now = NOW): Promise<void> {
  const retention = new Retention(records, () => now);
  for (let piece = 0; piece < PIECES; piece++) await retention.clean();
}

const entry = (at: number) => ({ at, who: 'a', role: 'admin', what: 'x', from: '::1', status: 200 });

describe('old records are removed, others stay', () => {
  it('the audit log: a year', async () => {
    const { records } = new MemoryStore();
    const audit = new Audit(records);
    for (let index = 0; index < 250; index++) await audit.write(entry(NOW - 366 * DAY + index));
    for (let index = 0; index < 150; index++) await audit.write(entry(NOW - 364 * DAY + index));
    await sweep(records);
    expect(await keysOf(records, 'audit')).toBe(150);
  });

  it('the output of tasks: 30 days, in pieces', async () => {
    const asked: number[] = [];
    const forget = async (before: number) => asked.push(before) < 3;
    const retention = new Retention(new MemoryStore().records, () => NOW, { forget });
    for (let piece = 0; piece < PIECES; piece++) await retention.clean();
    expect(asked).toEqual(Array(3).fill(NOW - 30 * DAY));
  });

  it('runs: if the server may, after everything else, in pieces', async () => {
    let left = 3;
    const forgetRuns = async () => --left > 0;
    const retention = new Retention(new MemoryStore().records, () => NOW, {}, forgetRuns);
    for (let piece = 0; piece < PIECES; piece++) await retention.clean();
    expect(left).toBe(0);
  });

  it('tokens: 30 days after they expire', async () => {
    const { records } = new MemoryStore();
    const tokens = new Tokens(records, () => NOW - 40 * DAY);
    const last = (days: number) => ({
      name: `${days}`,
      role: 'viewer' as const,
      expires_in_s: (days * DAY) / 1000,
    });
    await tokens.create(last(9), '');
    await tokens.create(last(11), '');
    await tokens.create({ name: 'for ever', role: 'admin' }, '');
    await sweep(records);
    expect((await tokens.list()).map(({ name }) => name).sort()).toEqual(['11', 'for ever']);
  });

  it('a small piece at a time, and then nothing for an hour', async () => {
    const { records } = new MemoryStore();
    const audit = new Audit(records);
    for (let index = 0; index < 250; index++) await audit.write(entry(1000 + index));
    let now = NOW;
    const retention = new Retention(records, () => now);
    const left: number[] = [];
    for (let piece = 0; piece < 3; piece++) {
      await retention.clean();
      left.push(await keysOf(records, 'audit'));
    }
    expect(left).toEqual([150, 50, 0]);
    for (let piece = 0; piece < PIECES; piece++) await retention.clean();
    await audit.write(entry(1000));
    await retention.clean();
    expect(await keysOf(records, 'audit')).toBe(1);
    now += 3_600_000;
    await retention.clean();
    expect(await keysOf(records, 'audit')).toBe(0);
  });
});

it('a server forgets an idempotency key after a week, but keeps the run', async () => {
  const store = new MemoryStore();
  let now = Date.now();
  const test = await testServer({ store, now: () => now });
  testWorker(test);
  const headers = { 'idempotency-key': 'nightly' };
  const start = () => test.as('operator').call('executions.start', { body: { text: ONE_STEP }, headers });
  const first = await start();
  expect(await ended(test.as('viewer'), first.execution_id)).toBe('succeeded');
  expect((await start()).execution_id).toBe(first.execution_id);
  now += 8 * DAY;
  await until('the key is forgotten', async () => {
    // A sweep that had already begun may have passed the key: the next one is due in an hour.
    now += 3_600_000;
    return (await keysOf(store.records, 'idempotency')) === 0;
  });
  expect((await start()).execution_id).not.toBe(first.execution_id);
  expect(await store.execution(first.execution_id)).toBeDefined();
});
