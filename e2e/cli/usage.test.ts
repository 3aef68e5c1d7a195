import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERBS as ALL_VERBS } from '../../packages/cli/src/verbs.ts';
import { runWoof, temporaryFolder } from './woof.ts';

const VERBS = [
  'run',
  'lint',
  'fmt',
  'graph',
  'runs',
  'show',
  'events',
  'logs',
  'why',
  'result',
  'resume',
  'cancel',
  'pause',
  'rerun',
  'doctor',
];

const woof = (...args: string[]) => runWoof(args, { cwd: temporaryFolder() });

const NESTED = '20261119-231951-2v45z0zz-s6r2vj8h';

const FILES = {
  'hello.yaml': '',
  'page.html': '<!doctype html>\n<title>A: page</title>\n',
  'a.ipynb': '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
};

describe('usage', () => {
  test('--version prints only the version', async () => {
    expect(await woof('--version')).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  test('no arguments: a short help on stderr, status 2', async () => {
    const { status, stdout, stderr } = await woof();
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    for (const verb of VERBS) expect(stderr).toContain(`\n  ${verb}`);
  });

  test('--help prints it on stdout', async () => {
    expect(await woof('--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('woof run hello.yaml --set greeting=Hi\n'),
      stderr: '',
    });
    expect(await woof('help', 'run')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--set KEY=VALUE'),
    });
    expect((await woof('help', 'build')).stdout).toContain('  -o, --output OUT');
  });

  test.each(VERBS)('%s --help has two examples', async (verb) => {
    const { status, stdout } = await woof(verb, '--help');
    const [, examples = ''] = stdout.split('examples:\n');
    expect(status).toBe(0);
    expect(examples.match(/^ {2}woof /gm)?.length).toBeGreaterThanOrEqual(2);
  });

  test.each([
    [['rnu'], 'did you mean "woof run"?'],
    [['frobnicate'], 'see: woof --help'],
    [['bogus'], 'see: woof --help'],
    [['--frobnicate'], 'there is no option --frobnicate'],
    [['--hlep'], 'did you mean "woof --help"?'],
    [['stop'], 'did you mean "woof cancel RUN" or "woof server stop"?'],
    [['studio'], 'did you mean "woof up"?'],
    [['hello.yaml'], 'did you mean "woof run hello.yaml"?'],
    [['my page.html'], `did you mean "woof open 'my page.html'"?`],
    [['run', 'hello.yaml', 'name=Ada'], 'to set a value of the document: --set name=Ada'],
    [['token'], 'woof token create NAME --role ROLE'],
    [['server', 'start'], 'woof server to start one'],
    [['clean', 'hello.yaml'], 'hello.yaml is not a notebook'],
    [['status'], 'for a run: woof show RUN; for a server: woof server status'],
    [['run', 'helo.yaml'], 'did you mean hello.yaml?'],
    [['run', 'hello.yml'], 'did you mean hello.yaml?'],
    [['run', 'hello.yaml/a'], 'hello.yaml/a: not a directory\n  fix: check the path'],
    [['run', 'other.yaml'], 'check the name and the current directory'],
    [['why', 'hello.yaml'], 'for the newest run: woof why last'],
    [['last', 'show'], 'did you mean "woof show last"?'],
    [['hello.yaml', 'lint'], 'did you mean "woof lint hello.yaml"?'],
    [['run', 'last'], 'to run a run again: woof rerun last'],
    [['run', NESTED, '--watch'], `to run a run again: woof rerun ${NESTED}`],
    [['last', 'run'], 'did you mean "woof rerun last"?'],
    [['lint', 'last'], 'check the name and the current directory'],
    [['run', 'page.html'], 'open it with `woof open FILE`'],
    [['run', 'a.ipynb'], 'convert it with `woof import FILE`'],
    [['run', 'a.yaml', '--jsno'], 'did you mean --json?'],
    [['run', 'a.yaml', '-x'], 'woof run has no option -x'],
    [['run'], 'woof run needs FILE'],
    [['run', 'a.yaml', 'b.yaml'], 'unexpected argument "b.yaml"'],
    [['run', 'a.yaml', '--data'], '--data needs a value'],
    [['run', 'a.yaml', '--data', '--quiet'], '--data needs a value'],
    [['run', 'a.yaml', '--json=yes'], '--json takes no value'],
    [['run', 'a.yaml', '--allow', 'everything'], 'use files, network or shell'],
    [['runs', '--limit', 'many'], 'expected a whole number'],
    [['up', '--limit', 'value_bytes=1048575'], 'expected a whole number of at least 1048576'],
    [['up', '--limit', 'jobs=0'], 'expected a whole number of at least 1'],
    [['server', '--listen', '127.0.0.1:99999'], 'there is no port 99999'],
    [['server', '--keep-days', '6'], 'expected a whole number from 7 to 36500'],
    [['server', '--keep-days', '90'], '--keep-days needs a store in Postgres'],
    [['runs', '--status', 'ok'], 'use one of running'],
  ])('%j is refused with status 2', async (args, said) => {
    const { status, stdout, stderr } = await runWoof(args, { cwd: temporaryFolder(FILES) });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a secret that is not stored is missing here, not at a server', async () => {
    const { status, stderr } = await woof('secret', 'rm', 'none');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'error: there is no secret "none"\n  fix: see: woof secret list\n',
    });
  });

  test('an empty list says so', async () => {
    expect(await woof('secret', 'list')).toEqual({ status: 0, stdout: '', stderr: 'no secrets\n' });
  });

  test('a directory without runs is reported as such', async () => {
    const { status, stderr } = await woof('show', 'last');
    expect(status).toBe(1);
    expect(stderr).toContain('no runs here');
  });
});

describe('with --json, an error is also the last line of stdout', () => {
  test.each(Object.keys(ALL_VERBS).filter((verb) => verb !== 'result'))(
    '%s with an unknown option',
    async (verb) => {
      const { status, stdout, stderr } = await woof(verb, '--json', '--bogus');
      expect(status).toBe(2);
      const message = `woof ${verb} has no option --bogus`;
      expect(JSON.parse(stdout)).toEqual({ error: { message, fix: expect.any(String) } });
      expect(stderr).toContain(`error: ${message}\n`);
    },
  );

  test.each(['run', 'graph', 'submit'])('%s of an invalid document lists its diagnostics', async (verb) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.yaml'), 'kind: Playbook\nworkflow: [{step: start, tool: {kind: htp}}]\n');
    const { status, stdout } = await runWoof([verb, 'a.yaml', '--json'], { cwd });
    expect(status).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({
      message: 'a.yaml has errors and cannot run',
      diagnostics: expect.arrayContaining([
        expect.objectContaining({
          code: 'playbook/unknown-kind',
          file: 'a.yaml',
          line: 2,
          hint: expect.any(String),
        }),
      ]),
    });
  });

  test('except where stdout is a value of any shape', async () => {
    const { status, stdout } = await woof('result', 'last', '--json');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });

  test('a word after -- is not an option', async () => {
    expect((await woof('completion', 'nosuch', '--', '--json')).stdout).toBe('');
  });
});
