/** Documents submitted to a server. If nothing fails there, no job's lease expires: that is how forgotten work shows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Envelope } from '@woof/net';
import { itUnless } from '@woof/testkit/unless';
import { beforeAll, describe, expect } from 'vitest';
import { lastJson } from '../cli/woof.ts';
import { chain, expiredJobs, logsOf, statusesOf, submitMany, wideLoop } from '../server/load.ts';
import { example, examplePath, LARGE, LARGE_RESULT } from './documents.ts';
import { felt } from './felt.ts';
import { type Booted, PLACES } from './places.ts';

describe.each(PLACES)('%s', (_, { start, without }) => {
  let place: Booted;
  const logs: Envelope[][] = [];
  const keepLog = async (id: string) => logs.push(...(await logsOf(place.client, [id])));
  beforeAll(async () => {
    if (!without) place = await start();
  });

  felt('starts', { limit: 5, without }, async (clock) => {
    clock.add(place.startMs);
  });

  felt('woof submit hello.yaml --wait', { limit: 3, without }, async (clock) => {
    const submit = ['submit', examplePath('hello.yaml'), '--set', 'name=Ada', '--wait', '--json'];
    const ran = await clock.time(() => place.woof(...submit));
    expect(ran).toMatchObject({ status: 0 });
    await keepLog(lastJson(ran).execution_id);
    expect(lastJson(ran).steps.shout!.result).toBe('HELLO, ADA!');
  });

  felt('200 executions of ten steps, from ten clients', { limit: 15, without }, async (clock) => {
    const burst = await clock.time(async () => {
      const ids = await submitMany(place.client, chain(10), { count: 200, clients: 10 });
      return logsOf(place.client, ids);
    });
    logs.push(...burst);
    expect(statusesOf(burst)).toEqual(['succeeded']);
    const steps = burst.map((events) => events.filter(({ name }) => name === 'step.done').length);
    expect(steps).toEqual(Array(200).fill(10));
  });

  felt('a loop of 1,000 iterations', { limit: 5, without }, async (clock) => {
    writeFileSync(join(place.cwd, 'loop.yaml'), wideLoop(1000));
    const ran = await clock.time(() => place.woof('submit', 'loop.yaml', '--wait', '--json'));
    expect(ran).toMatchObject({ status: 0 });
    await keepLog(lastJson(ran).execution_id);
    expect(lastJson(ran).steps.all!.result).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });

  felt('a guard on a large result: woof submit --wait, woof result', { limit: 5, without }, async (clock) => {
    writeFileSync(join(place.cwd, 'large.yaml'), LARGE);
    const ran = await clock.time(() => place.woof('submit', 'large.yaml', '--wait', '--json'));
    expect(ran).toMatchObject({ status: 0 });
    const { execution_id: id } = lastJson(ran);
    await keepLog(id);
    const result = await clock.time(() => place.woof('result', id, '--json'));
    expect(lastJson(result)).toEqual(LARGE_RESULT);
  });

  felt('a gate: woof submit --wait ends with 3, woof approve', { limit: 6, without }, async (clock) => {
    writeFileSync(join(place.cwd, 'release.workflow.yaml'), example('release.workflow.yaml'));
    const submit = ['submit', 'release.workflow.yaml', '--wait', '--json'];
    const waiting = await clock.time(() => place.woof(...submit));
    const { execution_id: id, status } = lastJson(waiting);
    expect([waiting.status, status]).toEqual([3, 'needs_human']);
    expect(await clock.time(() => place.woof('approve', id))).toMatchObject({ status: 0 });
    await clock.time(() => keepLog(id));
    expect(statusesOf(logs.slice(-1))).toEqual(['succeeded']);
  });

  itUnless(without)('no job has expired', () => {
    expect(logs).toHaveLength(204);
    expect(expiredJobs(logs)).toEqual([]);
  });

  felt('stops', { limit: 5, without }, async (clock) => {
    const statuses = await clock.time(() => place.stop());
    expect([...new Set(statuses)]).toEqual([0]);
  });
});
