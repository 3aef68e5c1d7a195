/**
 * A process that is stopped for longer than its lease and then continues: it does not repeat what others did meanwhile.
 */
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { expect, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { lastJson, playbook, temporaryFolder, until } from '../cli/woof.ts';
import { ask, type ServerProcess, startServer, startWorker } from './machines.ts';

const post = (url: string, more = '') =>
  playbook(`- step: start\n${more}  tool: {kind: http, method: POST, url: "${url}"}`);

async function submit(server: ServerProcess, cwd: string, file: string): Promise<string> {
  const ran = await ask(server, cwd, 'submit', file, '--json');
  expect(ran.status, ran.stderr).toBe(0);
  return lastJson<{ execution_id: string }>(ran).execution_id;
}

async function events(server: ServerProcess, id: string): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for await (const envelope of followEvents(new Client(server), id)) all.push(envelope);
  return all;
}

test('a worker that slept through its lease does not begin what another has done', async () => {
  const effects = await startEffectServer();
  const cwd = temporaryFolder({
    'once.yaml': post(`${effects.url}/count/once`),
    'after.yaml': post(`${effects.url}/count/after`, '  spec: {labels: {who: sleeper}}\n'),
  });
  const server = await startServer(cwd);
  const sleeper = await startWorker(server, cwd, '--labels', 'who=sleeper', '--name', 'sleeper');
  // It asks, and its first beat is answered.
  const warm = await submit(server, cwd, 'after.yaml');
  await events(server, warm);
  sleeper.child.kill('SIGSTOP');
  const id = await submit(server, cwd, 'once.yaml');
  await until('the job is leased to it', async () => {
    const { events: page } = await new Client(server).call('executions.events', { params: { id } });
    return page.some(({ name }) => name === 'job.leased');
  });
  const other = await startWorker(server, cwd, '--name', 'other');
  const log = await events(server, id);
  expect(log.filter(({ name }) => name === 'job.leased').map(({ data }) => data.worker)).toEqual([
    sleeper.id,
    other.id,
  ]);
  sleeper.child.kill('SIGCONT');
  // Only this worker may do it, and it first reads the job that is waiting for it.
  const last = await submit(server, cwd, 'after.yaml');
  await events(server, last);
  expect([effects.count('/count/once'), effects.count('/count/after')]).toEqual([1, 2]);
});
