/** Notebooks at a server: cells follow the worker that has their kernel, and outputs are written back. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, followEvents } from '@woof/client';
import type { Envelope } from '@woof/net';
import { describe, expect, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { type Account, lastJson, temporaryFolder, textOf, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from './machines.ts';

const cell = (tokens: string, body: string) => `\`\`\`cell ${tokens}\n${body}\n\`\`\`\n\n`;

describe('notebooks at a server', () => {
  test('what cells display is written beside the notebook of the waiting submitter', async () => {
    const notebook =
      '%WOOFNB 1.0\nname: n\nlanguage: python\n\n' +
      cell('id=numbers type=data', '[1, 2, 3]') +
      cell('id=sum type=code', 'print("adding")\nsum(numbers)') +
      cell('id=big type=code', 'display({"text/html": "<p>" + "x" * 300000})');
    const cwd = temporaryFolder({ 'n.woofnb': notebook });
    const server = await startServer(cwd, { verb: 'up' });
    const ran = await ask(server, cwd, 'submit', 'n.woofnb', '--wait', '--json');
    expect(ran.status, ran.stderr).toBe(0);
    expect(lastJson<Account>(ran).steps.sum).toMatchObject({ status: 'succeeded', result: '6' });
    const lines = textOf(cwd, 'n.woofnb.out').trimEnd().split('\n');
    const [sum, big] = lines.map((line) => JSON.parse(line) as { cell: string; outputs: object[] });
    expect(sum).toMatchObject({
      cell: 'sum',
      outputs: [{ text: 'adding\n' }, { data: { 'text/plain': '6' } }],
    });
    expect(big!.cell).toBe('big');
    expect(existsSync(join(cwd, 'artifacts', 'big'))).toBe(true);
  });

  test('kill -9 of the worker that has the kernel: the cells that are needed run again elsewhere', async () => {
    const effects = await startEffectServer();
    const call = (path: string) =>
      `import urllib.request\nurllib.request.urlopen("${effects.url}${path}").read()`;
    const notebook =
      '%WOOFNB 1.0\nname: n\nlanguage: python\nio_policy: {allow_network: true}\n\n' +
      cell('id=first type=code sidefx=net', `${call('/count/first')}\nvalue = 40`) +
      cell('id=held type=code sidefx=net', call('/hold/gate')) +
      cell('id=last type=code', 'value + 2');
    const cwd = temporaryFolder({ 'n.woofnb': notebook });
    const server = await startServer(cwd);
    const workers = [await startWorker(server, cwd), await startWorker(server, cwd)];
    const submitted = await ask(server, cwd, 'submit', 'n.woofnb', '--json');
    const { execution_id: id } = lastJson<{ execution_id: string }>(submitted);
    await until('a worker is at the gate', () => effects.count('/hold/gate') === 1);

    const client = new Client(server);
    const { jobs } = await client.call('executions.jobs', { params: { id } });
    const holder = workers.find(
      (worker) => worker.id === jobs.find(({ status }) => status === 'running')!.lease!.owner,
    )!;
    holder.child.kill('SIGKILL');
    await until('the other is at the gate', () => effects.count('/hold/gate') === 2);
    effects.release('gate');

    const events: Envelope[] = [];
    for await (const event of followEvents(client, id)) events.push(event);
    const result = events.find(({ name, step }) => name === 'step.done' && step === 'last')!.data.result;
    expect(result).toBe('42');
    const leases = events
      .filter(({ name }) => name === 'job.leased')
      .map(({ step, data }) => [step, data.worker]);
    const other = workers.find((worker) => worker !== holder)!.id;
    expect(leases).toEqual([
      ['first', holder.id],
      ['held', holder.id],
      ['held', other],
      ['last', other],
    ]);
    // The kernel of the other needed what the first cell had set.
    expect(effects.count('/count/first')).toBe(2);
  });
});
