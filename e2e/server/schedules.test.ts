/** Schedules, labels and the log of a server, as people use them. */
import { describe, expect, test } from 'vitest';
import { type Account, lastJson, playbook, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer, startWorker } from './machines.ts';

const TIDY = playbook(
  `- step: start
  spec: {labels: {zone: eu}}
  tool: {kind: noop, result: "{{ workload.days * 2 }}"}
`,
  'workload: {days: 1}\n',
).replace(/^metadata:.*$/m, 'metadata: {name: tidy, path: jobs/tidy}');

interface Shown {
  schedule_id: string;
  paused: boolean;
  next: number[];
  runs: { execution_id: string; state: string; status?: string }[];
}

describe('woof schedule', () => {
  test('adds, lists, shows, pauses, resumes, runs and removes', async () => {
    const cwd = temporaryFolder({ 'tidy.yaml': TIDY });
    const server = await startServer(cwd, { more: ['--log-format', 'json'] });
    await startWorker(server, cwd, '--labels', 'zone=us');
    const woof = (...args: string[]) => ask(server, cwd, 'schedule', ...args);
    const json = async <T>(...args: string[]) => lastJson<T>(await woof(...args, '--json'));

    const added = await woof(
      ...['add', 'tidy.yaml', '--cron', '0 6 29 2 *', '--tz', 'Europe/Berlin'],
      ...['--catch-up', 'last', '--overlap', 'queue', '--payload', 'days=21'],
    );
    expect(added.stdout, added.stderr).toMatch(/^schedule jobs\.tidy, next \d{4}-02-29 06:00 GMT\+1\n$/);
    expect((await woof('list')).stdout).toMatch(
      /^jobs\.tidy {2}\d{4}-02-29 06:00 GMT\+1 {2}0 6 29 2 \* Europe\/Berlin/,
    );
    expect(await json<Shown>('show', 'jobs.tidy')).toMatchObject({
      paused: false,
      runs: [],
      payload: { days: 21 },
    });
    expect(await json<Shown>('pause', 'jobs.tidy')).toMatchObject({ paused: true, next: [] });
    expect((await woof('list')).stdout).toContain('paused');
    expect((await json<Shown>('resume', 'jobs.tidy')).next).toHaveLength(10);

    const id = (await woof('run', 'jobs.tidy')).stdout.trim();
    const queue = async () => {
      const headers = { authorization: `Bearer ${server.token}` };
      const response = await fetch(`${server.url}/v1/queue`, { headers });
      return (await response.json()) as { waiting: { execution_id: string; reason: string }[] };
    };
    expect((await queue()).waiting).toMatchObject([
      { execution_id: id, reason: 'none of the connected workers (1) has zone=eu, tool noop' },
    ]);
    expect((await ask(server, cwd, 'why', id)).stdout).toContain('has zone=eu, tool noop');
    const european = await startWorker(server, cwd, '--labels', 'zone=eu');
    await until('the run has ended', async () => {
      const { runs } = await json<Shown>('show', 'jobs.tidy');
      return runs[0]?.status === 'succeeded';
    });
    const account = lastJson<Account>(await ask(server, cwd, 'show', id, '--json'));
    expect(account.steps.start!.result).toBe(42);
    const log = (await ask(server, cwd, 'events', id, '--json')).stdout;
    expect(log).toContain(`"worker":"${european.id}"`);

    expect((await woof('rm', 'jobs.tidy')).status).toBe(0);
    expect(await json('list')).toEqual([]);
    const records = server
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { call?: string; msg: string });
    expect(records.map((record) => record.call ?? record.msg)).toEqual(
      expect.arrayContaining(['schedules.create', 'scheduled run started', 'schedules.remove']),
    );
    expect(server.stderr()).not.toContain(server.token);
  });

  test('appears with the document that declares it, and is removed with it', async () => {
    const declaring = TIDY.replace(
      'workload:',
      'executor: {spec: {schedules: [{cron: "0 6 29 2 *"}]}}\nworkload:',
    );
    const notebook = `%WOOFNB 1.0
name: rain
language: python
metadata:
  path: weather/rain
  schedules: [{name: leap, cron: "0 7 29 2 *", timezone: Europe/Oslo}]

\`\`\`cell id=a type=data
1
\`\`\`
`;
    const cwd = temporaryFolder({
      'tidy.yaml': declaring.replace('spec: {labels: {zone: eu}}', 'spec: {}'),
      'quiet.yaml': TIDY,
      'rain.woofnb': notebook,
    });
    const server = await startServer(cwd, { verb: 'up' });
    const woof = (...args: string[]) => ask(server, cwd, ...args);

    const registered = await woof('submit', 'tidy.yaml', '--register');
    expect(registered.stdout).toMatch(/^jobs\/tidy@[0-9a-f]{32}\n$/);
    expect(registered.stderr).toMatch(/^schedule jobs\.tidy, next \d{4}-02-29 06:00 \S+\n$/);
    expect((await woof('submit', 'rain.woofnb', '--register')).stderr).toContain('weather.rain.leap, next');
    expect((await woof('schedule', 'list')).stdout).toMatch(
      /^jobs\.tidy .* jobs\/tidy +declared\nweather\.rain\.leap .*Europe\/Oslo +weather\/rain +declared\n$/,
    );
    expect((await woof('schedule', 'show', 'jobs.tidy')).stdout).toMatch(/jobs\/tidy, which declares it \(/);

    const id = (await woof('schedule', 'run', 'jobs.tidy')).stdout.trim();
    await until('the run has ended', async () => {
      const { status } = lastJson<Account>(await woof('show', id, '--json'));
      return status === 'succeeded';
    });
    const refused = await woof('schedule', 'rm', 'jobs.tidy');
    expect(`${refused.status} ${refused.stderr}`).toMatch(
      /^1 .*declared by the document jobs\/tidy; change it there/,
    );

    const quiet = await woof('submit', 'quiet.yaml', '--register');
    expect(quiet.stderr).toBe('schedule jobs.tidy is removed: the document no longer declares it\n');
    expect(lastJson<Shown[]>(await woof('schedule', 'list', '--json'))).toMatchObject([
      { schedule_id: 'weather.rain.leap' },
    ]);
  });

  test('says what is wrong, and where', async () => {
    const cwd = temporaryFolder({ 'tidy.yaml': TIDY, 'w.yaml': 'stages: [{stage_id: a, kind: noop}]' });
    const server = await startServer(cwd);
    const refused = async (...args: string[]) => {
      const { status, stderr } = await ask(server, cwd, 'schedule', ...args);
      return `${status} ${stderr}`;
    };
    expect(await refused('add', 'tidy.yaml')).toMatch(/^2 .*needs --cron/);
    expect(await refused('add', 'tidy.yaml', '--cron', '0 6 * * mon-fro')).toContain(
      'column 13: weekday: expected 0-7 or sun-sat, got "fro"; for example "0 6 * * mon-fri"',
    );
    expect(await refused('add', 'jobs/none', '--cron', '@daily')).toMatch(/^1 .*no document is registered/);
    expect(await refused('add', 'tidy.yaml', '--cron', '@daily', '--payload', 'days')).toMatch(
      /^2 .*--payload days/,
    );
    expect(await refused('add', 'w.yaml', '--cron', '@daily')).toMatch(
      /no usable metadata\.path[^"]*fix: add one to the document/,
    );
    expect(await refused('show', 'nothing')).toMatch(/^1 .*there is no schedule "nothing"/);
    expect(await refused('remove', 'x')).toMatch(/^2 .*no action "remove"/);
  });
});
