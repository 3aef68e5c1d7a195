/** The files that stages pass to each other. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ExecCase } from './exec-case.ts';

let stage = new ExecCase();
const all = [stage];
beforeEach(() => {
  stage = new ExecCase();
  all.push(stage);
});
afterAll(async () => {
  for (const one of all) await one.remove();
});

const write = (path: string, text = path) => {
  mkdirSync(join(stage.workdir, path, '..'), { recursive: true });
  writeFileSync(join(stage.workdir, path), text);
};
const outputsOf = async (...outputs: string[]) => {
  const outcome = (await stage.run({ commands: [{ program: 'true' }], outputs })) as Outcome;
  return (
    outcome.error?.message ??
    (outcome.result as { outputs: { path: string }[] }).outputs.map(({ path }) => path)
  );
};

it('keeps the files that patterns name', async () => {
  for (const path of [
    'a.txt',
    'b.log',
    'out/c.txt',
    'out/deep/d.txt',
    'out/.hidden',
    '.dot.txt',
    '.woof/x.txt',
  ])
    write(path);
  expect(await outputsOf('*.txt')).toEqual(['a.txt']);
  expect(await outputsOf('**/*.txt')).toEqual(['a.txt', 'out/c.txt', 'out/deep/d.txt']);
  expect(await outputsOf('out/**')).toEqual(['out/c.txt', 'out/deep/d.txt']);
  expect(await outputsOf('out')).toEqual(['out/c.txt', 'out/deep/d.txt']);
  expect(await outputsOf('./out/*')).toEqual(['out/c.txt', 'out/deep/d.txt']);
  expect(await outputsOf('{a,b}.*')).toEqual(['a.txt', 'b.log']);
  expect(await outputsOf('?.log')).toEqual(['b.log']);
  expect(await outputsOf('.dot*')).toEqual(['.dot.txt']);
  expect(await outputsOf('.woof/*')).toEqual([]);
});

it('takes outputs of other stages only if a pattern names them, and never Woof’s own files', async () => {
  for (const path of ['own.txt', 'sub/inputs/x.txt', 'inputs/a/given.txt']) write(path);
  expect(await outputsOf('**/*.txt')).toEqual(['own.txt', 'sub/inputs/x.txt']);
  expect(await outputsOf('*')).toEqual(['own.txt', 'sub/inputs/x.txt']);
  expect(await outputsOf('inputs/**')).toEqual(['inputs/a/given.txt']);
  expect(await outputsOf('inputs/a/given.txt')).toEqual(['inputs/a/given.txt']);
  const inside = new ExecCase({ runs: join(stage.workdir, 'kept', 'runs') });
  all.push(inside);
  const outcome = await inside.run({
    commands: [{ program: 'true' }],
    outputs: ['**'],
    workdir: stage.workdir,
  });
  expect((outcome as Outcome).result).toMatchObject({
    outputs: [{ path: 'own.txt' }, { path: 'sub/inputs/x.txt' }],
  });
});

it('fails if a named file is missing, and only warns if a pattern matches none', async () => {
  expect(await outputsOf('report.xml')).toMatch(/"outputs" names files that do not exist: report.xml/);
  expect(await outputsOf('*.xml')).toEqual([]);
  expect(stage.logged.join('')).toMatch(/no file matches the output pattern \*\.xml/);
});

it('follows no link out of the working directory', async () => {
  writeFileSync(join(stage.root, 'secret'), 'secret');
  write('mine');
  symlinkSync(join(stage.root, 'secret'), join(stage.workdir, 'stolen'));
  symlinkSync(stage.root, join(stage.workdir, 'above'));
  symlinkSync('mine', join(stage.workdir, 'alias'));
  expect(await outputsOf('*')).toEqual(['alias', 'mine']);
  expect(await outputsOf('above/secret')).toMatch(/do not exist/);
});

async function given(): Promise<JsonObject> {
  write('out/data.txt', 'the data');
  write('run', '#!/bin/sh\n');
  (await import('node:fs')).chmodSync(join(stage.workdir, 'run'), 0o755);
  const outcome = (await stage.run({
    commands: [{ program: 'true' }],
    outputs: ['out/**', 'run'],
  })) as Outcome;
  return { build: outcome.result! };
}

it('passes them to the stages that follow', async () => {
  const upstream = await given();
  const outcome = await stage.run(
    { commands: [{ program: 'cat', args: ['inputs/build/out/data.txt'] }] },
    { upstream, step: 'next' },
  );
  expect(stage.read(outcome, 'cmd-000.stdout.log')).toBe('the data');
  expect(statSync(join(stage.workdir, 'inputs/build/run')).mode & 0o100).toBe(0o100);
});

it('provides them again if someone changed them, even for two stages at once', async () => {
  const upstream = await given();
  const next = (step: string) => stage.run({ commands: [{ program: 'true' }] }, { upstream, step });
  await Promise.all([next('a'), next('b')]);
  writeFileSync(join(stage.workdir, 'inputs/build/out/data.txt'), 'the DATA');
  writeFileSync(join(stage.workdir, 'inputs/build/extra'), '');
  const file = join(stage.workdir, 'inputs/build/out/data.txt');
  await next('c');
  expect(readFileSync(file, 'utf8')).toBe('the data');
  expect(existsSync(join(stage.workdir, 'inputs/build/extra'))).toBe(false);
});

it('does not touch what someone else put there', async () => {
  const upstream = await given();
  write('inputs/build/own.txt');
  const outcome = (await stage.run({ commands: [{ program: 'true' }] }, { upstream })) as Outcome;
  expect(outcome.error?.message).toMatch(/inputs\/build already exists, and Woof did not create it/);
  expect(existsSync(join(stage.workdir, 'inputs/build/own.txt'))).toBe(true);
});

it('writes nothing elsewhere, whatever a result says', async () => {
  const { build } = (await given()) as { build: { outputs: JsonObject[] } };
  const astray = {
    outputs: [{ ...build.outputs[0]!, path: '../../x' }, { ...build.outputs[0]!, path: '/tmp/x' }, 'x', null],
  };
  expect(
    await stage.run({ commands: [{ program: 'true' }] }, { upstream: { '../..': astray } }),
  ).toMatchObject({ status: 'ok' });
  symlinkSync(stage.root, join(stage.workdir, 'inputs'));
  const outcome = (await stage.run({ commands: [{ program: 'true' }] }, { upstream: { build } })) as Outcome;
  expect(outcome.error?.message).toMatch(/must be a directory, not a link/);
});

it('leaves nothing half-written if a file cannot be fetched', async () => {
  const upstream = await given();
  const blobs = {
    put: stage.blobs.put.bind(stage.blobs),
    async *get() {
      yield Buffer.from('the');
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    },
  };
  const next = (more: object) =>
    stage.run({ commands: [{ program: 'true' }] }, { upstream, step: 'next' }, more);
  expect(((await next({ blobs })) as Outcome).error?.message).toContain('the disk is full');
  expect(readdirSync(join(stage.workdir, 'inputs'))).toEqual([]);
  expect(await next({})).toMatchObject({ status: 'ok' });
});
