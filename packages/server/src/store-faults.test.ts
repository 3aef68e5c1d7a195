/** A store that fails: the caller is told so, but learns nothing about the machine. */
import { MemoryStore, StoreError } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { ONE_STEP, testServer } from './fixtures/test-server.ts';

/** Fails on demand when executions are read. */
class FailingStore extends MemoryStore {
  failure: Error | undefined;

  override async list(...args: Parameters<MemoryStore['list']>) {
    if (this.failure) throw this.failure;
    return super.list(...args);
  }

  override async now() {
    if (this.failure) throw this.failure;
    return super.now();
  }
}

/** Answers reads, but refuses writes of one kind. */
class ReadOnlyStore extends MemoryStore {
  full: 'frames' | 'records' | undefined;

  constructor() {
    super();
    const put = this.records.put.bind(this.records);
    this.records.put = async (...args) => {
      if (this.full === 'records') throw new StoreError('disk_full', SECRET);
      return put(...args);
    };
  }

  override async append(...args: Parameters<MemoryStore['append']>) {
    if (this.full === 'frames') throw new StoreError('disk_full', SECRET);
    return super.append(...args);
  }
}

const SECRET = 'password hunter2 for /srv/woof/data at db.internal';

describe.each([
  [new StoreError('unavailable', SECRET), 503, 'store/unavailable'],
  [new StoreError('disk_full', SECRET), 503, 'store/full'],
  [new Error(SECRET), 500, 'server/fault'],
])('%s', (failure, status, code) => {
  it(`is answered with ${code} and logged, and calls work again afterwards`, async () => {
    const store = new FailingStore();
    const test = await testServer({ store });
    const list = async () => {
      const headers = { authorization: `Bearer ${test.tokens.viewer}` };
      const response = await fetch(`${test.url}/v1/executions`, { headers });
      return { status: response.status, text: await response.text() };
    };
    store.failure = failure;
    const refused = await list();
    expect(refused).toMatchObject({ status, text: expect.stringContaining(`"code":"${code}"`) });
    expect(refused.text).not.toMatch(/hunter2|srv|db\.internal/);
    expect(test.faults).toContain(failure);
    expect((await fetch(`${test.url}/healthz`)).status).toBe(200);
    store.failure = undefined;
    expect(await list()).toMatchObject({ status: 200 });
    await test.as('operator').call('executions.start', { body: { text: ONE_STEP } });
  });
});

describe('/readyz', () => {
  async function world() {
    const store = new ReadOnlyStore();
    let now = Date.now();
    const test = await testServer({ store, now: () => now });
    const later = (ms: number) => {
      now += ms;
    };
    const ready = async () => {
      const response = await fetch(`${test.url}/readyz`);
      return `${response.status} ${((await response.json()) as { code?: string }).code ?? ''}`;
    };
    const start = () => test.as('operator').call('executions.start', { body: { text: ONE_STEP } });
    return { store, later, ready, start };
  }

  it('tries a write, at most once per second', async () => {
    const { store, later, ready } = await world();
    expect(await ready()).toBe('200 ');
    store.full = 'records';
    later(500);
    expect(await ready()).toBe('200 ');
    later(500);
    expect(await ready()).toBe('503 store/full');
    store.full = undefined;
    later(1000);
    expect(await ready()).toBe('200 ');
  });

  it('reports a run that the store refused, until it accepts one', async () => {
    const { store, later, ready, start } = await world();
    store.full = 'frames';
    await expect(start()).rejects.toMatchObject({ code: 'store/full' });
    expect(await ready()).toBe('503 store/full');
    store.full = undefined;
    await start();
    later(1000);
    expect(await ready()).toBe('200 ');
  });

  it('reports it for 30 seconds if no run is started since', async () => {
    const { store, later, ready, start } = await world();
    store.full = 'frames';
    await expect(start()).rejects.toMatchObject({ code: 'store/full' });
    later(31_000);
    expect(await ready()).toBe('200 ');
  });
});
