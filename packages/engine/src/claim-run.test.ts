import { type ExecutionRow, MemoryStore } from '@woof/stores';
import { expect, it } from 'vitest';
import { claimRun, giveBackRun, type Presence } from './claim-run.ts';

const RUN = '20261115-084812-k3x9qz7c';
const [DEAD, OWNER, ME] = ['local-1-00000001', 'local-2-00000002', 'local-3-00000003'];

async function storeWith(driver: string): Promise<MemoryStore> {
  const store = new MemoryStore();
  const row = { execution_id: RUN, status: 'running', driver } as ExecutionRow;
  await store.append([{ execution_id: RUN, expected: 0, events: [], row }]);
  return store;
}

const among = (...living: string[]): Presence => ({
  hasProcess: (driver) => living.includes(driver),
  hasServer: () => living.includes('server'),
});

it.each([
  ['a process that is gone', DEAD, { from: DEAD }, ME],
  ['a process that is there', OWNER, { owner: OWNER }, OWNER],
  ['the claimer itself', ME, { from: ME }, ME],
  ['a server that is gone', 'server-a-1', { from: 'server-a-1' }, ME],
])('claims a run of %s', async (_, driver, expected, after) => {
  const store = await storeWith(driver);
  expect(await claimRun({ store, presence: among(OWNER, ME) }, RUN, ME)).toEqual(expected);
  expect((await store.execution(RUN))?.driver).toBe(after);
});

it('leaves a run of a server to the running server, whatever its name', async () => {
  const store = await storeWith('server-a-1');
  const row = { execution_id: 'nested', status: 'running', parent: RUN } as ExecutionRow;
  await store.append([{ execution_id: 'nested', expected: 0, events: [], row }]);
  const claimed = await claimRun({ store, presence: among('server') }, 'nested', ME);
  expect(claimed).toEqual({ owner: 'server-a-1' });
});

it('names the process that was faster', async () => {
  const store = await storeWith(DEAD);
  const claim = store.claim.bind(store);
  store.claim = async (id, from, driver) => {
    await claim(id, from, OWNER);
    return claim(id, from, driver);
  };
  expect(await claimRun({ store, presence: among(OWNER, ME) }, RUN, ME)).toEqual({ owner: OWNER });
});

it('reports the previous driver, even if the answer of the store is lost', async () => {
  const store = await storeWith('server-a-1');
  const claim = store.claim.bind(store);
  store.claim = async (...claimed) => {
    await claim(...claimed);
    throw new Error('the answer is lost');
  };
  const told: (string | null)[] = [];
  const claimed = claimRun({ store, presence: among(ME) }, RUN, ME, (from) => told.push(from));
  await expect(claimed).rejects.toThrow(/lost/);
  expect(told).toEqual(['server-a-1']);
});

it.each([
  ['a server', 'server-a-1', 'server-a-1'],
  ['a local process', DEAD, ME],
])('gives back only what was of a server: %s', async (_, from, after) => {
  const store = await storeWith(ME);
  await giveBackRun(store, RUN, { driver: ME, from });
  expect((await store.execution(RUN))?.driver).toBe(after);
});
