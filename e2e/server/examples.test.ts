/**
 * Every example has the same result at a server as with `woof run`, whether the worker is in the server's process or
 * not.
 */
import { readFileSync } from 'node:fs';
import { Client } from '@woof/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { startEffectServer } from '../cli/effect-server.ts';
import { examplePath, flagsOf, placed, RUNNABLE } from '../cli/example-cases.ts';
import { type Account, lastJson, type Ran, runWoof, temporaryFolder } from '../cli/woof.ts';
import { expiredJobs, logsOf } from './load.ts';
import { ask, type ServerProcess, startServer, startWorker } from './machines.ts';

/** It packs its own file, which is in the folder of the submitter and not in that of a worker. */
const ONLY_HERE = ['build.workflow.yaml'];

/** Fields of results that differ in every run: times, checksums over times, ids that services assign. */
const OF_ONE_RUN =
  /"(bundle_sha256|started_at_ms|finished_at_ms|elapsed|date)":("[^"]*"|[\d.]+)|"id":"[0-9a-f]{24}"/g;

describe('examples at a server', () => {
  let near: ServerProcess;
  let far: ServerProcess;
  beforeAll(async () => {
    near = await startServer(temporaryFolder(), { verb: 'up' });
    const cwd = temporaryFolder();
    far = await startServer(cwd);
    await startWorker(far, cwd);
    // What examples/nested.yaml calls.
    const body = { path: 'hello.yaml', text: readFileSync(examplePath('hello.yaml'), 'utf8') };
    for (const server of [near, far]) await new Client(server).call('documents.register', { body });
  });

  test.each(RUNNABLE.filter((file) => !ONLY_HERE.includes(file)))('%s', async (file) => {
    const here = attempt(file, (cwd, args) => runWoof(['run', ...args], { cwd }));
    const servers = [near, far].map((server) =>
      attempt(file, (cwd, args) => ask(server, cwd, 'submit', ...args, '--wait'), new Client(server)),
    );
    for (const there of servers) expect(await there).toEqual(await here);
  });
});

/** How it ended. Each attempt has its own service, which fails equally often for both. */
async function attempt(
  file: string,
  go: (cwd: string, args: string[]) => Promise<Ran>,
  client?: Client,
): Promise<object> {
  const { url } = await startEffectServer();
  const cwd = temporaryFolder();
  const ran = await go(cwd, [placed(file, cwd), '--json', ...flagsOf(file, url)]);
  const { execution_id: id, status, steps } = lastJson<Account>(ran);
  // One that waits for a person has no end to follow it to.
  if (client && status !== 'needs_human') expect(expiredJobs(await logsOf(client, [id]))).toEqual([]);
  const told = JSON.stringify(steps).replaceAll(OF_ONE_RUN, '').replaceAll(url, 'URL').replaceAll(id, 'RUN');
  return { exit: ran.status, status, told };
}
