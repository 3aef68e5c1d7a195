/** Exec blocks through the binary: evidence, crashes, the policy, what is kept. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Account,
  lastJson,
  type Ran,
  runWoof,
  startWoof,
  temporaryFolder,
  textOf,
  unlock,
  until,
} from '../cli/woof.ts';

interface Stage {
  stage_id: string;
  kind?: string;
  deps?: string[];
  config: Record<string, unknown>;
}

const sh = (script: string, more = {}) => ({ program: 'sh', args: ['-c', script], ...more });

function world(...stages: Stage[]) {
  const document = {
    name: 'test',
    stages: stages.map((stage) => ({ kind: 'exec_block', ...stage })),
    edges: [],
  };
  const cwd = temporaryFolder({ 'a.workflow.json': JSON.stringify(document) });
  const woof = (...args: string[]) => runWoof(args, { cwd });
  return {
    cwd,
    woof,
    run: (...flags: string[]) => woof('run', 'a.workflow.json', '--json', ...flags),
    runs: join(cwd, '.woof', 'runs'),
  };
}

const resultOf = (ran: Ran, stage: string) =>
  lastJson<Account>(ran).steps[stage]!.result as {
    bundle: string;
    commands: { status: string; attempt?: number }[];
  };

test('a stage gives files to the next, and leaves a bundle that verify guards', async () => {
  const { woof, run, cwd } = world(
    {
      stage_id: 'build',
      config: { allow_shell: true, commands: [sh('echo made > thing')], outputs: ['thing'] },
    },
    {
      stage_id: 'use',
      deps: ['build'],
      config: { commands: [{ program: 'cat', args: ['inputs/build/thing'] }] },
    },
  );
  const ran = await run();
  expect(ran.status, ran.stderr).toBe(0);
  const bundle = join('.woof', resultOf(ran, 'use').bundle);
  expect(textOf(cwd, join(bundle, 'cmd-000.stdout.log'))).toBe('made\n');
  expect((await woof('logs', 'last')).stdout).toContain('made');
  expect((await woof('verify', 'last')).stdout.match(/^ok /gm)).toHaveLength(2);

  const file = join(cwd, bundle, 'cmd-000.stdout.log');
  chmodSync(file, 0o644);
  const faults = async () => {
    const verified = await woof('verify', 'last', 'use', '--json');
    expect(verified.status).toBe(1);
    return lastJson<{ bundles: { faults: { path: string; fault: string }[] }[] }>(verified).bundles[0]!
      .faults;
  };
  expect(await faults()).toMatchObject([{ path: 'cmd-000.stdout.log', fault: 'mode' }]);
  writeFileSync(file, 'forged');
  chmodSync(file, 0o444);
  expect(await faults()).toMatchObject([{ path: 'cmd-000.stdout.log', fault: 'changed' }]);
  expect((await woof('verify', 'last', 'build')).status).toBe(0);
  expect((await woof('verify', bundle)).stdout).toMatch(/changed/);
  expect((await woof('bundle', 'verify', bundle)).stdout).toMatch(/changed/);
  expect((await woof('bundle', 'check', 'last')).status).toBe(2);
  unlock(join(cwd, '.woof', 'runs'));
  renameSync(join(cwd, bundle), join(cwd, 'aside'));
  expect((await woof('verify', 'last')).stdout).toMatch(/missing .*the bundle does not exist/);
  for (const put of [
    (path: string) => symlinkSync(join(cwd, 'aside'), path),
    (path: string) => writeFileSync(path, ''),
  ]) {
    put(join(cwd, bundle));
    expect((await woof('verify', 'last')).stdout).toMatch(/changed .*no longer a directory/);
    rmSync(join(cwd, bundle));
  }
});

test('verify guards every attempt of a stage, and rejects what is not one', async () => {
  const { woof, run, runs } = world({
    stage_id: 'flaky',
    config: { allow_shell: true, max_attempts: 2, commands: [sh('test -e made || { touch made; false; }')] },
  });
  const { execution_id: id } = lastJson<Account>(await run());
  const faults = async () => {
    const { bundles } = lastJson<{
      bundles: { bundle: string; faults: { path: string; fault: string }[] }[];
    }>(await woof('verify', id, '--json'));
    return bundles.flatMap((each) =>
      each.faults.map(({ path, fault }) => [each.bundle.slice(join(runs, id).length + 1), path, fault]),
    );
  };
  expect(await faults()).toEqual([]);
  const stage = join(runs, id, 'flaky');
  unlock(stage);
  forge(join(stage, '1'));
  cpSync(join(stage, '2'), join(stage, '3'), { recursive: true });
  cpSync(join(stage, '2'), join(runs, id, 'other', '1'), { recursive: true });
  lock(runs);
  expect(await faults()).toEqual([
    ['flaky/1', 'SHA256SUMS', 'changed'],
    ['flaky/3', '', 'extra'],
    ['other/1', '', 'extra'],
  ]);
});

/** Gives everything below the modes of bundles. */
function lock(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) lock(path);
    chmodSync(path, entry.isDirectory() ? 0o555 : 0o444);
  }
}

/** Changes a bundle, and computes new checksums for it. */
function forge(bundle: string): void {
  const [sums, log] = ['SHA256SUMS', 'cmd-000.stdout.log'].map((name) => join(bundle, name));
  for (const file of [sums!, log!]) chmodSync(file, 0o644);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const before = digest(readFileSync(log!, 'utf8'));
  writeFileSync(log!, 'forged');
  const made = readFileSync(sums!, 'utf8').replaceAll(
    new RegExp(`^${before}(?=  cmd-000.stdout)`, 'gm'),
    digest('forged'),
  );
  writeFileSync(sums!, made);
}

describe('kill -9 while a command runs', () => {
  const config = {
    allow_shell: true,
    commands: [
      sh('echo one >> marks'),
      sh('echo two >> marks; test -e go || { sleep 1000 & echo $! > pid; mv pid waiting; wait; }'),
    ],
  };

  async function killed(more = {}, signal: NodeJS.Signals = 'SIGKILL') {
    const made = world({ stage_id: 'work', config: { ...config, ...more } });
    const running = startWoof(['run', 'a.workflow.json'], { cwd: made.cwd });
    await until('the second command waits', () => existsSync(join(made.cwd, 'waiting')));
    running.child.kill(signal);
    await running.ended;
    const child = textOf(made.cwd, 'waiting').trim();
    await until('what the command started is gone', () => !existsSync(`/proc/${child}/exe`));
    writeFileSync(join(made.cwd, 'go'), '');
    return { ...made, resumed: await made.woof('resume', 'last', '--json') };
  }

  test('the block starts again; what was left is sealed', async () => {
    const { cwd, woof, resumed, runs } = await killed();
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(textOf(cwd, 'marks')).toBe('one\ntwo\none\ntwo\n');
    const [run = ''] = readdirSync(runs);
    expect(readdirSync(join(runs, run, 'work'))).toEqual(['1', '2']);
    expect(JSON.parse(readFileSync(join(runs, run, 'work', '1', 'manifest.json'), 'utf8'))).toMatchObject({
      interrupted: true,
      commands: [
        { index: 0, status: 'succeeded' },
        { index: 1, status: 'failed', exit_code: null },
      ],
    });
    expect((await woof('verify', 'last')).status).toBe(0);
    unlock(runs);
    forge(join(runs, run, 'work', '1'));
    const forged = await woof('verify', 'last');
    expect([forged.status, forged.stdout]).toEqual([
      1,
      expect.stringMatching(/changed .*work\/1\/SHA256SUMS/),
    ]);
  });

  test('a resumable block continues at the first command without a result', async () => {
    const { cwd, resumed } = await killed({ resumable: true });
    expect(textOf(cwd, 'marks')).toBe('one\ntwo\ntwo\n');
    expect(resultOf(resumed, 'work').commands).toMatchObject([{ attempt: 1 }, { status: 'succeeded' }]);
  });

  test('with max_attempts: 1 it is not started again, and says why', async () => {
    const { cwd, resumed } = await killed({ max_attempts: 1 });
    expect(resumed.status).toBe(1);
    expect(textOf(cwd, 'marks')).toBe('one\ntwo\n');
    expect(lastJson(resumed).steps.work?.error?.message).toMatch(
      /1 of 1 attempts, 1 of which were lost with their worker/,
    );
  });

  test('a block that Ctrl-C stopped was not lost: it starts again, whatever max_attempts says', async () => {
    const { cwd, woof, resumed } = await killed({ max_attempts: 1 }, 'SIGINT');
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(textOf(cwd, 'marks')).toBe('one\ntwo\none\ntwo\n');
    const { stdout } = await woof('events', 'last', '--json');
    expect(stdout).toContain('"name":"job.released"');
    expect(stdout).not.toContain('"name":"job.expired"');
  });
});

describe('the policy', () => {
  const stage = {
    stage_id: 'clean',
    config: { commands: [{ program: 'git', args: ['-C', 'x', 'clean', '-fdx'] }] },
  };

  test('a block that it blocks waits; only an override lets it run, also for the attempts that follow', async () => {
    const { woof, run, runs } = world({ ...stage, config: { ...stage.config, max_attempts: 2 } });
    const ran = await run();
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain('rule git/clean');
    const approved = await woof('approve', 'last', 'clean');
    expect(approved.status).toBe(3);
    expect(approved.stderr).toMatch(/woof approve \S+ clean --override/);
    const overridden = await woof('approve', 'last', 'clean', '--override', '--by', 'ada', '--json');
    // There is no folder x, so both attempts fail.
    expect(overridden.status).toBe(1);
    const [id = ''] = readdirSync(runs);
    expect(readdirSync(join(runs, id, 'clean'))).toEqual(['1', '2']);
    for (const attempt of ['1', '2']) {
      const manifest = JSON.parse(readFileSync(join(runs, id, 'clean', attempt, 'manifest.json'), 'utf8'));
      expect(manifest.override).toMatchObject({ by: 'ada' });
    }
  });

  test('rejecting fails it', async () => {
    const { woof, run } = world(stage);
    await run();
    const rejected = await woof('reject', 'last', 'clean', '--note', 'no', '--json');
    expect(rejected.status).toBe(1);
    expect(lastJson(rejected).steps.clean?.error?.message).toMatch(/rejected it \(no\)/);
  });

  test('an organisation adds rules; while its file is invalid, nothing runs', async () => {
    const { run, woof, cwd, runs } = world({
      stage_id: 'a',
      config: { commands: [{ program: 'env', args: ['true'] }] },
    });
    expect((await woof('lint', 'a.workflow.json')).stdout).toContain('0 errors, 0 warnings');
    mkdirSync(join(cwd, '.woof'));
    const policy = join(cwd, '.woof', 'policy.yaml');
    writeFileSync(policy, 'rules: [{id: no-true, decision: block, program: "tru*", reason: because}]\n');
    expect((await woof('lint', 'a.workflow.json')).stderr).toContain('rule no-true');
    const blocked = await run();
    expect(blocked.status).toBe(3);
    expect(blocked.stderr).toContain('rule no-true');
    for (const [text, words] of [
      ['rules: 5\n', /policy.yaml: "rules" must be a list/],
      ['a: [\n', /policy.yaml: /],
    ] as const) {
      writeFileSync(policy, text);
      for (const verb of ['lint', 'run']) {
        const wrong = await woof(verb, 'a.workflow.json');
        expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringMatching(words)]);
      }
    }
    expect(existsSync(runs)).toBe(false);
  });
});

describe('what is kept', () => {
  const stage = { stage_id: 'a', config: { allow_shell: true, commands: [sh('echo hello')] } };

  test('gc takes files of old runs and leaves their records', async () => {
    const { run, woof, runs, cwd } = world(stage);
    for (let count = 0; count < 3; count += 1) await run();
    expect(readdirSync(runs)).toHaveLength(3);
    const dry = lastJson<{ removed: { kind: string; run: string }[] }>(
      await woof('gc', '--dry-run', '--keep-last', '1', '--keep-days', '0', '--json'),
    );
    expect(dry.removed.map(({ kind }) => kind).sort()).toEqual(['bundles', 'bundles', 'logs', 'logs']);
    expect(readdirSync(runs)).toHaveLength(3);
    expect((await woof('gc', '--keep-last', '1', '--keep-days', '1')).stdout).toBe('nothing to remove\n');
    expect((await woof('gc', '--keep-last', '1', '--keep-days', '0')).stdout).toMatch(/freed/);
    expect(readdirSync(runs)).toHaveLength(1);
    expect(readdirSync(join(cwd, '.woof', 'logs'))).toHaveLength(1);
    expect(lastJson<unknown[]>(await woof('runs', '--json'))).toHaveLength(3);
    expect((await woof('verify', 'last')).status).toBe(0);
    expect((await woof('gc', '--keep-last', 'x')).status).toBe(2);
  });

  test('gc takes stored values that no run names, and no others', async () => {
    const { run, woof, cwd } = world({
      stage_id: 'a',
      config: { allow_shell: true, commands: [sh('echo kept > out')], outputs: ['out'] },
    });
    await run();
    const blobs = join(cwd, '.woof', 'blobs');
    const before = readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(before.length).toBeGreaterThan(0);
    mkdirSync(join(blobs, 'ab'), { recursive: true });
    const lost = join(blobs, 'ab', 'c'.repeat(62));
    const fresh = join(blobs, 'ab', 'd'.repeat(62));
    for (const path of [lost, fresh]) writeFileSync(path, 'x');
    for (const path of [lost, ...before.map((entry) => join(entry.parentPath, entry.name))])
      utimesSync(path, 1, 1);
    await woof('gc', '--keep-last', '0', '--keep-days', '0');
    expect([existsSync(lost), existsSync(fresh)]).toEqual([false, true]);
    for (const entry of before) expect(existsSync(join(entry.parentPath, entry.name))).toBe(true);
  });

  test('the first run of a day does it by itself, unless the directory says off', async () => {
    const { run, runs, cwd } = world(stage);
    await run();
    const marker = join(cwd, '.woof', '.collected');
    writeFileSync(join(cwd, '.woof', 'retention.yaml'), 'keep_last: 1\nkeep_days: 0\n');
    await run();
    expect(readdirSync(runs)).toHaveLength(2);
    utimesSync(marker, 1, 1);
    await run();
    expect(readdirSync(runs)).toHaveLength(1);
    writeFileSync(join(cwd, '.woof', 'retention.yaml'), 'off\n');
    utimesSync(marker, 1, 1);
    await run();
    expect(readdirSync(runs)).toHaveLength(2);
  });

  test('gc needs exclusive use of the directory', async () => {
    const { cwd, woof } = world({
      stage_id: 'a',
      config: { allow_shell: true, commands: [sh('touch up; sleep 1000')] },
    });
    const running = startWoof(['run', 'a.workflow.json'], { cwd });
    await until('it runs', () => existsSync(join(cwd, 'up')));
    const busy = await woof('gc');
    expect(busy.status).toBe(1);
    expect(busy.stderr).toMatch(/another woof process .* is using/);
    expect((await woof('gc', '--dry-run')).status).toBe(0);
    running.child.kill('SIGINT');
    await running.ended;
  });
});

test('cancel ends the command with all that it started, and the bundle says so', async () => {
  const { cwd, woof, runs } = world({
    stage_id: 'a',
    config: { allow_shell: true, commands: [sh('echo $$ > pid; setsid sleep 1000 & sleep 1000')] },
  });
  const running = startWoof(['run', 'a.workflow.json'], { cwd });
  await until('it runs', () => existsSync(join(cwd, 'pid')) && textOf(cwd, 'pid') !== '');
  expect((await woof('cancel', 'last')).status).toBe(0);
  await running.ended;
  expect(existsSync(`/proc/${textOf(cwd, 'pid').trim()}/exe`)).toBe(false);
  const [id = ''] = readdirSync(runs);
  const manifest = JSON.parse(readFileSync(join(runs, id, 'a', '1', 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ status: 'failed', interrupted: true, commands: [{ status: 'failed' }] });
});
