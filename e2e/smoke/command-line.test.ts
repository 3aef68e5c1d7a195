/** Documents on a single machine, with only the command line. */
import { describe, expect } from 'vitest';
import { lastJson, type Ran, runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { example, examplePath, LARGE, LARGE_RESULT, SLOW } from './documents.ts';
import { felt } from './felt.ts';

const HELLO = examplePath('hello.yaml');
const shouted = (ran: Ran) => lastJson(ran).steps.shout!.result;

describe('one machine', () => {
  felt('woof run hello.yaml', { limit: 2 }, async (clock) => {
    const cwd = temporaryFolder();
    const ran = await clock.time(() => runWoof(['run', HELLO, '--json', '--set', 'name=Ada'], { cwd }));
    expect(ran).toMatchObject({ status: 0 });
    expect(shouted(ran)).toBe('HELLO, ADA!');
  });

  felt('a guard on a large result: woof run, woof result', { limit: 4 }, async (clock) => {
    const cwd = temporaryFolder({ 'large.yaml': LARGE });
    const ran = await clock.time(() => runWoof(['run', 'large.yaml', '--quiet'], { cwd }));
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    const result = await clock.time(() => runWoof(['result', 'last', '--json'], { cwd }));
    expect(lastJson(result)).toEqual(LARGE_RESULT);
  });

  felt('five woof run at once in one folder', { limit: 5 }, async (clock) => {
    const cwd = temporaryFolder();
    const names = ['ada', 'bob', 'cy', 'di', 'eve'];
    const run = (name: string) => runWoof(['run', HELLO, '--json', '--set', `name=${name}`], { cwd });
    const all = await clock.time(() => Promise.all(names.map(run)));
    expect(all.map((ran) => [ran.status, shouted(ran)])).toEqual(
      names.map((name) => [0, `HELLO, ${name.toUpperCase()}!`]),
    );
  });

  felt('a gate: woof run ends with 3, woof approve continues', { limit: 5 }, async (clock) => {
    const cwd = temporaryFolder({ 'release.workflow.yaml': example('release.workflow.yaml') });
    const waiting = await clock.time(() => runWoof(['run', 'release.workflow.yaml', '--json'], { cwd }));
    expect([waiting.status, lastJson(waiting).status]).toEqual([3, 'needs_human']);
    const approved = await clock.time(() => runWoof(['approve', 'last', '--json'], { cwd }));
    expect(approved).toMatchObject({ status: 0 });
    expect(lastJson(approved)).toMatchObject({ status: 'succeeded', steps: { publish: { runs: 1 } } });
  });

  felt('woof resume after kill -9, with a second to wait', { limit: 5 }, async (clock) => {
    const cwd = temporaryFolder({ 'slow.yaml': SLOW });
    const running = startWoof(['run', 'slow.yaml'], { cwd });
    await until('the second step waits', () => running.stderr().includes('▶ middle'));
    running.child.kill('SIGKILL');
    await running.ended;
    const resumed = await clock.time(() => runWoof(['resume', 'last', '--json'], { cwd }));
    expect(resumed).toMatchObject({ status: 0 });
    const steps = { start: { runs: 1 }, middle: { runs: 1 }, end: { runs: 1, result: 'done' } };
    expect(lastJson(resumed)).toMatchObject({ status: 'succeeded', steps });
  });
});
