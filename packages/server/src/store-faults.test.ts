/** A store that fails: the caller is told that, and nothing about the machine. */
import { MemoryStore, StoreError } from '@woof/stores';
import { describe, expect, it } from 'vitest';
import { ONE_STEP, testServer } from './fixtures/test-server.ts';

/** Fails on demand, where executions are read. */
class FailingStore extends MemoryStore {
  failure: Error | undefined;

  override async executions(...args: Parameters<MemoryStore['executions']>) {
    if (this.failure) throw this.failure;
    return super.executions(...args);
  }

  override async now() {
    if (this.failure) throw this.failure;
    return super.now();
  }
}

const SECRET = 'password hunter2 for /srv/woof/data at db.internal';

describe.each([
  [new StoreError('unavailable', SECRET), 503, 'store/unavailable'],
  [new StoreError('disk_full', SECRET), 503, 'store/full'],
  [new Error(SECRET), 500, 'server/fault'],
])('%s', (failure, status, code) => {
  it(`is answered with ${code}, is told to the log, and passes`, async () => {
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
    expect(refused.text).not.toMatch(/hunter2|srv|internal/);
    expect(test.faults).toContain(failure);
    expect((await fetch(`${test.url}/readyz`)).status).toBe(status);
    expect((await fetch(`${test.url}/healthz`)).status).toBe(200);
    store.failure = undefined;
    expect(await list()).toMatchObject({ status: 200 });
    expect((await fetch(`${test.url}/readyz`)).status).toBe(200);
    await test.as('operator').call('executions.start', { body: { text: ONE_STEP } });
  });
});
