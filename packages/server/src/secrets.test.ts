/** Secrets of a server: sealed in the store, given to workers for the jobs that they hold, and to nobody else. */
import type { ClaimAnswer } from '@woof/protocol';
import { describe, expect, it } from 'vitest';
import { contentsOf } from './fixtures/contents.ts';
import { infoOf, type TestServer, testServer } from './fixtures/test-server.ts';

const VALUE = 'cAnary-of-the-server';

const PLAYBOOK = `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: secrets, path: tests/secrets}
keychain:
  - {name: api, kind: bearer}
  - {name: home, kind: environment, variable: HOME}
  - {name: spare, kind: secret_manager}
workflow:
  - step: start
    tool: {kind: noop, result: "{{ keychain.api.token }}{{ keychain.home.value }}"}
`;

async function put(test: TestServer, name: string, fields: Record<string, string>): Promise<void> {
  await test.as('admin').call('secrets.put', { params: { name }, body: { fields } });
}

async function job(test: TestServer) {
  await test.as('operator').call('executions.start', { body: { text: PLAYBOOK } });
  const body = { ...infoOf('one'), free: 1, wait_ms: 20_000 };
  const { jobs } = (await test.as('worker').call('work.claim', { body })) as unknown as ClaimAnswer;
  const [{ execution_id, job_id, fence }] = jobs as [ClaimAnswer['jobs'][number]];
  return { worker: 'one', execution_id, job_id, fence };
}

describe('secrets', () => {
  it('a document whose secret is missing is not started, and the message says how to set it', async () => {
    const test = await testServer();
    const start = () => test.as('operator').call('executions.start', { body: { text: PLAYBOOK } });
    await expect(start()).rejects.toMatchObject({
      code: 'secrets/missing',
      message: /"api".*woof secret set api/,
    });
    await put(test, 'api', { token: VALUE });
    await expect(start()).rejects.toMatchObject({ message: expect.stringContaining('"home"') });
    expect((await test.as('viewer').call('executions.list')).executions).toEqual([]);
  });

  it('a worker gets only those that its job uses; the claim and the store contain none', async () => {
    const test = await testServer();
    await put(test, 'api', { token: VALUE });
    await put(test, 'home', { value: 'a value of the store' });
    await put(test, 'spare', { value: 'not used' });
    await put(test, 'other', { value: 'not named' });
    const body = await job(test);
    const { secrets } = await test.as('worker').call('work.secrets', { body });
    expect(secrets).toEqual({ api: { token: VALUE }, home: { value: 'a value of the store' } });
    expect(JSON.stringify(await contentsOf(test.store))).not.toContain(VALUE);
    const audited = async () => {
      const { entries } = await test.as('admin').call('audit.list', { query: {} });
      return entries.map(({ what }) => what);
    };
    // Written after the answer.
    await expect.poll(audited).toContain('work.secrets');
  });

  it('nobody gets any without a job, with an old fence, or with another role', async () => {
    const test = await testServer();
    await put(test, 'api', { token: VALUE });
    await put(test, 'home', { value: 'x' });
    const body = await job(test);
    for (const change of [{ fence: body.fence + 1 }, { job_id: 'odd.1' }, { execution_id: 'none' }]) {
      const asked = test.as('worker').call('work.secrets', { body: { ...body, ...change } });
      await expect(asked).rejects.toMatchObject({ code: 'worker/stale' });
    }
    for (const role of ['viewer', 'operator'] as const)
      await expect(test.as(role).call('work.secrets', { body })).rejects.toMatchObject({ code: 'auth/role' });
    await test.as('worker').call('work.leave', { body: { worker: 'one' } });
    await expect(test.as('worker').call('work.secrets', { body })).rejects.toMatchObject({
      code: 'worker/stale',
    });
  });
});
