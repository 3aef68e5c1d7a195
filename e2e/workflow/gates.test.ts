/** Approvals: a run that waits for one says so, exits with 3, and continues when somebody answers, from anywhere. */
import { Client } from '@woof/client';
import { describe, expect, test } from 'vitest';
import { type Account, lastJson, runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { ask, startServer } from '../server/machines.ts';

const stage = (id: string, kind: string, config = '{}') =>
  `  - {stage_id: ${id}, kind: ${kind}, config: ${config}}\n`;
const block = (id: string, text: string) =>
  stage(id, 'exec_block', `{workdir: ., commands: [{program: echo, args: [${text}]}]}`);

const SHIP =
  `name: ship\nstages:\n${block('build', 'built')}${stage('ask', 'gate', '{message: "ship it?"}')}` +
  `${block('ship', 'shipped')}edges: [{from: build, to: ask}, {from: ask, to: ship}]\n`;

const playbook = (name: string, steps: string) =>
  `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ${name}, path: ${name}.yaml}\nworkflow:\n${steps}`;
const calling = (path: string) =>
  `  - {step: start, tool: {kind: playbook, path: ${path}, return_step: z}, next: {arcs: [{step: z}]}}\n` +
  '  - {step: z, tool: {kind: noop, result: "{{ start }}"}}\n';
const NESTED = {
  'three.yaml': playbook('three', calling('two.yaml')),
  'two.yaml': playbook('two', calling('one.yaml')),
  'one.yaml': playbook('one', calling('gate.yaml')),
  'gate.yaml': playbook(
    'gate',
    '  - {step: start, tool: {kind: gate, message: "go?"}, next: {arcs: [{step: rest}]}}\n' +
      '  - {step: rest, tool: {kind: wait, seconds: 0.3}, next: {arcs: [{step: z}]}}\n' +
      '  - {step: z, tool: {kind: noop, result: fine}}\n',
  ),
};

const statuses = ({ steps }: Account) =>
  Object.fromEntries(Object.entries(steps).map(([id, { status }]) => [id, status]));

describe('gates', () => {
  test('a run that needs a person exits with 3 and names the command; approving continues to the end', async () => {
    const cwd = temporaryFolder({ 'ship.yaml': SHIP.replace('it?"', 'it?", approvers: [ada, grace]') });
    const ran = await runWoof(['run', 'ship.yaml', '--json'], { cwd });
    expect(ran.status).toBe(3);
    const waiting = lastJson<Account>(ran);
    expect(waiting.status).toBe('needs_human');
    expect(statuses(waiting)).toEqual({ build: 'succeeded', ask: 'needs_human', ship: 'pending' });
    expect(ran.stderr).toContain(`woof approve ${waiting.execution_id} ask --by NAME\n`);
    expect(ran.stderr).toContain('? waiting for approval after ');
    expect(ran.stderr).toContain(', 1 of 3 steps');
    expect(ran.stderr).toContain('is waiting for approval by ada or grace: ship it?');

    const stranger = await runWoof(['approve', 'last', 'ask', '--by', 'bob'], { cwd });
    const fix = `one of ada, grace must answer: woof approve ${waiting.execution_id} ask --by ada`;
    expect(stranger).toEqual({
      status: 1,
      stdout: '',
      stderr: `error: bob may not answer "ask"\n  fix: ${fix}\n`,
    });

    const again = await runWoof(['resume', 'last', '--json'], { cwd });
    expect([again.status, lastJson<Account>(again).status]).toEqual([3, 'needs_human']);

    const approved = await runWoof(['approve', 'last', '--note', 'fine', '--by', 'ada', '--json'], { cwd });
    expect(approved.status, approved.stderr).toBe(0);
    const account = lastJson<Account>(approved);
    expect(statuses(account)).toEqual({ build: 'succeeded', ask: 'succeeded', ship: 'succeeded' });
    expect(account.steps.ask!.result).toMatchObject({ approved_by: 'ada', note: 'fine' });
    const events = await runWoof(['events', 'last', '--json'], { cwd });
    expect(events.stdout).toContain('"name":"step.approved"');

    const late = await runWoof(['approve', 'last', 'ask'], { cwd });
    expect([late.status, late.stderr]).toEqual([1, expect.stringContaining('has ended')]);
  });

  test('a gate of a nested playbook is reported by its caller, and answered by the name of either', async () => {
    const cwd = temporaryFolder(NESTED);
    const ran = await runWoof(['run', 'three.yaml', '--json'], { cwd });
    expect([ran.status, lastJson<Account>(ran).status]).toEqual([3, 'needs_human']);
    const [, answer] = /woof (approve \S+ start)/.exec(ran.stderr)!;
    const resumed = await runWoof(['resume', 'last'], { cwd });
    expect([resumed.status, resumed.stderr]).toEqual([3, expect.stringContaining(answer!)]);
    const approved = await runWoof([...answer!.split(' '), '--json'], { cwd });
    expect(approved.status, approved.stderr).toBe(0);
    expect(lastJson<Account>(approved)).toMatchObject({
      status: 'succeeded',
      steps: { z: { result: 'fine' } },
    });

    const again = await runWoof(['run', 'three.yaml'], { cwd });
    expect(again.status).toBe(3);
    const rejected = await runWoof(['reject', 'last', 'start', '--json'], { cwd });
    expect([rejected.status, lastJson<Account>(rejected).error]).toMatchObject([
      1,
      { message: expect.stringContaining('rejected by') },
    ]);
  });

  test('each iteration that waits is answered by its own name', async () => {
    const cwd = temporaryFolder({
      'ask.yaml':
        'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: ask}\nworkflow:\n' +
        '  - step: start\n    loop: {in: [a, b], iterator: i, spec: {mode: parallel, policy: {failure: best_effort}}}\n' +
        '    tool: [{ask: {kind: gate, message: "go {{ i }}?"}}, {say: {kind: noop, result: "{{ i }}"}}]\n',
    });
    const ran = await runWoof(['run', 'ask.yaml'], { cwd });
    expect(ran.status).toBe(3);
    for (const index of [0, 1])
      expect(ran.stderr).toMatch(new RegExp(`woof approve \\S+ start.1/${index}\n`));
    expect((await runWoof(['reject', 'last', 'start.1/0'], { cwd })).status).toBe(3);
    const approved = await runWoof(['approve', 'last', '--json'], { cwd });
    const { results, stats } = lastJson<Account>(approved).steps.start!.result as Record<string, unknown>;
    expect([results, stats]).toEqual([[null, 'b'], { total: 2, succeeded: 1, failed: 1 }]);
  });

  test('an unknown step is a usage error; one that does not wait is reported in JSON', async () => {
    const cwd = temporaryFolder({ 'ship.yaml': SHIP });
    await runWoof(['run', 'ship.yaml'], { cwd });
    const wrong = await runWoof(['approve', 'last', 'aks', '--json'], { cwd });
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean "ask"?')]);
    const early = await runWoof(['approve', 'last', 'ship', '--json'], { cwd });
    expect([early.status, lastJson(early)]).toMatchObject([1, { ok: false, message: /is not waiting/ }]);
    const why = await runWoof(['why', 'last', 'ship', '--json'], { cwd });
    expect(why.stdout).toContain('waits for \\"ask\\", which waits for approval');
  });

  test('rejecting fails the stage and skips what depends on it', async () => {
    const cwd = temporaryFolder({ 'ship.yaml': SHIP });
    await runWoof(['run', 'ship.yaml'], { cwd });
    const rejected = await runWoof(['reject', 'last', 'ask', '--note', 'not today', '--json'], { cwd });
    expect(rejected.status).toBe(1);
    const account = lastJson<Account>(rejected);
    expect(statuses(account)).toEqual({ build: 'succeeded', ask: 'failed', ship: 'skipped' });
    expect(account.error).toMatchObject({ step: 'ask', message: expect.stringContaining('not today') });
  });

  test('for a step that does not wait, the message lists those that do', async () => {
    const cwd = temporaryFolder({ 'ship.yaml': SHIP });
    await runWoof(['run', 'ship.yaml'], { cwd });
    const wrong = await runWoof(['approve', 'last', 'ship'], { cwd });
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toContain('step "ship" is not waiting for approval; these are: "ask"');
  });

  test('a process that still works on other stages takes the answer from another terminal', async () => {
    const slow = stage('slow', 'exec_block', '{workdir: ., commands: [{program: sleep, args: ["60"]}]}');
    const document =
      `name: two\nstages:\n${stage('ask', 'gate')}${block('after', 'approved')}${slow}` +
      'edges: [{from: ask, to: after}]\n';
    const cwd = temporaryFolder({ 'two.yaml': document });
    const running = startWoof(['run', 'two.yaml'], { cwd });
    await until('the gate waits', async () =>
      (await runWoof(['why', 'last'], { cwd })).stdout.includes('waits for approval'),
    );
    const approved = await runWoof(['approve', 'last', 'ask'], { cwd });
    expect([approved.status, approved.stderr]).toEqual([0, expect.stringContaining('continues the run')]);
    await until('the next stage has run', async () => {
      const shown = lastJson<Account>(await runWoof(['show', 'last', '--json'], { cwd }));
      return shown.steps.after?.status === 'succeeded';
    });
    running.child.kill('SIGKILL');
  });

  test('what the policy blocks runs only with an override', async () => {
    const shell = stage(
      'sh',
      'exec_block',
      '{workdir: ., commands: [{program: /bin/sh, args: [-c, "echo hi"]}]}',
    );
    const cwd = temporaryFolder({ 'sh.yaml': `name: sh\nstages:\n${shell}edges: []\n` });
    const ran = await runWoof(['run', 'sh.yaml'], { cwd });
    expect(ran.status).toBe(3);
    expect(ran.stderr).toMatch(/woof approve \S+ sh --override\n/);
    expect((await runWoof(['approve', 'last', 'sh'], { cwd })).status).toBe(3);
    expect((await runWoof(['approve', 'last', 'sh', '--override'], { cwd })).status).toBe(0);
  });

  test('at a server: the token says who answered, and the run continues there', async () => {
    const cwd = temporaryFolder({ 'ship.yaml': SHIP });
    const server = await startServer(cwd, { verb: 'up' });
    const submitted = await ask(server, cwd, 'submit', 'ship.yaml', '--wait', '--json');
    const { execution_id: id, status } = lastJson<Account>(submitted);
    expect([submitted.status, status]).toEqual([3, 'needs_human']);
    expect(submitted.stderr).toContain(`woof approve ${id} ask`);
    const client = new Client(server);
    const row = () => client.call('executions.row', { params: { id } });
    const wrong = await ask(server, cwd, 'approve', id, 'build');
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('these are: "ask"')]);
    expect((await ask(server, cwd, 'approve', id, '--note', 'go')).status).toBe(0);
    await until('it ended', async () => (await row()).ended_at !== undefined);
    const result = await ask(server, cwd, 'result', id, 'ask', '--json');
    expect(lastJson(result)).toMatchObject({ approved_by: expect.stringContaining('admin'), note: 'go' });
  });

  test('a nested gate at a server is reported and answered in the same way', async () => {
    const cwd = temporaryFolder(NESTED);
    const server = await startServer(cwd, { verb: 'up' });
    for (const file of ['gate.yaml', 'one.yaml', 'two.yaml'])
      expect((await ask(server, cwd, 'submit', file, '--register')).status).toBe(0);
    const submitted = await ask(server, cwd, 'submit', 'three.yaml', '--wait', '--json');
    const { execution_id: id, status } = lastJson<Account>(submitted);
    expect([submitted.status, status], submitted.stderr).toEqual([3, 'needs_human']);
    expect((await ask(server, cwd, 'approve', id, 'start')).status).toBe(0);
    const row = () => new Client(server).call('executions.row', { params: { id } });
    await until('it ended', async () => (await row()).ended_at !== undefined);
    expect((await row()).status).toBe('succeeded');
  });

  test('a gate that timed out while nobody drove the run fails when somebody does', async () => {
    const document =
      `name: g\nstages:\n${stage('soon', 'gate', '{timeout_sec: 1}')}${stage('other', 'gate')}` +
      `${block('after', 'never')}edges: [{from: soon, to: after}]\n`;
    const cwd = temporaryFolder({ 'g.yaml': document });
    const overdue = async () => {
      const ran = await runWoof(['run', 'g.yaml', '--json'], { cwd });
      expect(ran.status).toBe(3);
      const { execution_id: id } = lastJson<Account>(ran);
      const began = Date.now();
      await until('its time is up', () => Date.now() > began + 1100);
      return id;
    };
    const approved = await runWoof(['approve', await overdue(), 'other', '--json'], { cwd });
    expect([approved.status, lastJson<Account>(approved).status]).toEqual([1, 'failed']);
    const account = lastJson<Account>(approved);
    expect(statuses(account)).toEqual({ soon: 'failed', other: 'succeeded', after: 'skipped' });

    const id = await overdue();
    const late = await runWoof(['approve', id, 'soon'], { cwd });
    expect([late.status, late.stderr]).toEqual([1, expect.stringContaining('is not waiting for approval')]);
    const resumed = await runWoof(['resume', id, '--json'], { cwd });
    expect([resumed.status, statuses(lastJson<Account>(resumed)).soon]).toEqual([3, 'failed']);
    const why = await runWoof(['why', id, 'after'], { cwd });
    expect(why.stdout).toContain('after  skipped: "soon" failed');
  });

  test('a gate that waits too long fails', async () => {
    const document = `name: g\nstages:\n${stage('ask', 'gate', '{timeout_sec: 1}')}edges: []\n`;
    const cwd = temporaryFolder({ 'g.yaml': document });
    const server = await startServer(cwd, { verb: 'up' });
    const submitted = await ask(server, cwd, 'submit', 'g.yaml', '--json');
    const { execution_id: id } = lastJson<{ execution_id: string }>(submitted);
    const client = new Client(server);
    await until('it failed', async () => {
      const { status } = await client.call('executions.row', { params: { id } });
      return status === 'failed';
    });
  });
});
