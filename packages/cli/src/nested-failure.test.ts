import { failure } from '@woof/net';
import { MemoryStore } from '@woof/stores';
import { Driver, plan, step } from '@woof/testkit';
import { beforeEach, expect, it } from 'vitest';
import type { Home } from './home.ts';
import { nestedFailure } from './nested-failure.ts';

const PLAIN = Object.assign((text: string) => text, { color: false });

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

/** A run whose only step failed with this. */
async function failed(id: string, message: string, { parent, called }: { parent?: string; called?: string }) {
  const details = called === undefined ? {} : { details: { execution_id: called } };
  const driver = new Driver(plan([step('start')]));
  driver.finish('start.1', failure('exception', message, details));
  const row = {
    execution_id: id,
    name: id,
    kind: 'playbook',
    status: 'failed' as const,
    started_at: 0,
    plan_hash: 'hash',
    error: message,
    ...(parent === undefined ? {} : { parent }),
  };
  const stored = { hash: 'hash', plan: driver.plan };
  await store.append([{ execution_id: id, expected: 0, events: driver.events, row, plan: stored }]);
  return { row, state: driver.state };
}

async function said({ row, state }: Awaited<ReturnType<typeof failed>>): Promise<string[]> {
  const home = { store, name: 'data' } as unknown as Home;
  return nestedFailure({ home, row }, state, PLAIN);
}

it('the innermost run that failed is named, with its failure', async () => {
  const outer = await failed('a', 'nested playbook c.yaml failed: deep', { called: 'a-b' });
  await failed('a-b', 'nested playbook c.yaml failed: deep', { parent: 'a', called: 'a-b-c' });
  await failed('a-b-c', 'deep', { parent: 'a-b' });
  expect(await said(outer)).toEqual([
    '  in      nested run a-b-c',
    '    step "start", task "work": deep  (exception)',
  ]);
});

it.each(['deep', ''])('a nested run that failed with the same error %j is not the cause', async (message) => {
  const outer = await failed('a', message, {});
  await failed('a-b', message, { parent: 'a' });
  expect(await said(outer)).toEqual([]);
});

it('a run that this run did not call is not the cause, whatever the error says', async () => {
  const outer = await failed('a', 'deep', { called: 'other' });
  await failed('other', 'deep', {});
  expect(await said(outer)).toEqual([]);
});

it('a nested run whose log cannot be read is left out', async () => {
  const outer = await failed('a', 'nested playbook c.yaml failed: deep', { called: 'a-b' });
  await failed('a-b', 'nested playbook c.yaml failed: deep', { parent: 'a', called: 'a-b-c' });
  await failed('a-b-c', 'deep', { parent: 'a-b' });
  const unreadable = (id: string) => {
    const read = store.read.bind(store);
    store.read = (each, from) => {
      if (each === id) throw new SyntaxError('damaged');
      return read(each, from);
    };
  };
  unreadable('a-b-c');
  expect((await said(outer))[0]).toBe('  in      nested run a-b');
  unreadable('a-b');
  expect(await said(outer)).toEqual([]);
});
