import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BatchCommand, batchScript } from './batch-script.ts';
import { quote } from './quote.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-batch-'));
  mkdirSync(join(folder, 'area'));
  mkdirSync(join(folder, 'work'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const area = (name: string) => join(folder, 'area', name);
const read = (name: string) => readFileSync(area(name), 'utf8');

function command(index: number, argv: string[], more: Partial<BatchCommand> = {}): BatchCommand {
  return { index, program: argv[0]!, args: argv.slice(1), cwd: '.', env: {}, allowFailure: false, ...more };
}

function run(commands: BatchCommand[], haltOnError = true) {
  const workdir = join(folder, 'work');
  const script = batchScript({ title: 'a\nb', area: join(folder, 'area'), workdir, haltOnError, commands });
  return spawnSync('/bin/bash', ['-s'], {
    input: script,
    encoding: 'utf8',
    env: { ...process.env, SLURM_JOB_ID: '7' },
  });
}

/** The marks of one kind, without the keyword. */
const marks = (word: string) =>
  read('marks')
    .split('\n')
    .flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
const statuses = () => marks('ended').map((mark) => mark.split(' ').slice(0, 2).join(' '));
const timeOf = (word: string, index = 0) => Number(marks(word)[index]!.split(' ').at(-1));

describe('quote', () => {
  it('yields exactly the text, whatever it contains', () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
    const given = fc.array(
      fc.oneof(text, fc.constantFrom('', "'", '$(touch x)', '`id`', 'a\r\nb\n', '~', '*', '\\', '-n', 'ü😀')),
    );
    fc.assert(
      fc.property(given, (words) => {
        const script = `printf '%s\\0' ${words.map(quote).join(' ')}`;
        const output = execFileSync('/bin/bash', ['-s'], { input: script, encoding: 'utf8' });
        expect(output).toBe(
          words.length === 0 ? '\0' : words.map((word) => `${Buffer.from(word)}\0`).join(''),
        );
        expect(script).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 60 },
    );
  });
});

describe('batchScript', () => {
  it('leaves outputs, times and exit codes, and stops at the first failure', () => {
    const before = Date.now();
    const { status: code } = run([
      command(0, ['sh', '-c', 'echo out; echo err >&2']),
      command(1, ['sh', '-c', 'exit 3'], { allowFailure: true }),
      command(2, ['sh', '-c', 'exit 4']),
      command(3, ['true']),
    ]);
    expect(code).toBe(1);
    expect([read('000.stdout'), read('000.stderr')]).toEqual(['out\n', 'err\n']);
    expect(statuses()).toEqual(['000 0', '001 3', '002 4']);
    expect(marks('began')).toHaveLength(3);
    const times = [before, timeOf('began'), timeOf('done'), Date.now()];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(marks('job')).toEqual(['7']);
  });

  it('continues after failures without halt_on_error', () => {
    expect(run([command(0, ['false']), command(1, ['true'])], false).status).toBe(1);
    expect(statuses()).toEqual(['000 1', '001 0']);
    expect(marks('done')).toEqual([expect.stringMatching(/^\d+$/)]);
  });

  it('passes every variable unchanged, including those that bash reserves', () => {
    const env = {
      PLAIN: 'x',
      QUOTES: `'"\`$(touch ${folder}/pwned)$HOME\\`,
      LINES: 'a\r\nb\n\n',
      WORD: '* ~ ünï 😀',
      EMPTY: '',
      UID: '77',
      'odd-name.x': 'odd',
      woof_area: '/elsewhere',
      BASH_FUNC: 'f',
    };
    expect(run([command(0, ['env', '-0'], { env })]).status).toBe(0);
    const seen = Object.fromEntries(
      read('000.stdout')
        .split('\0')
        .map((pair) => /^([^=]*)=(.*)$/s.exec(pair)?.slice(1) ?? []),
    );
    expect(seen).toMatchObject(env);
    expect(spawnSync('ls', [join(folder, 'pwned')]).status).not.toBe(0);
  });

  it('ends a command and its children at its timeout, and recognises this by the elapsed time', () => {
    run([command(0, ['sh', '-c', 'sleep 60 & sleep 60'], { timeoutSeconds: 0.2 })]);
    expect(statuses()).toEqual(['000 124']);
    expect(timeOf('ended') - timeOf('began')).toBeGreaterThanOrEqual(200);
  });

  it('says why a command could not start', () => {
    symlinkSync('/', join(folder, 'work', 'out'));
    const commands = [
      command(0, ['true'], { cwd: 'nowhere' }),
      command(1, ['true'], { cwd: 'out/tmp' }),
      command(2, ['no-such-program']),
    ];
    run(commands, false);
    expect(marks('fault')[0]).toContain('"cwd" must be a directory that exists');
    expect(marks('fault')[1]).toMatch(/must stay under workdir, but leads to \/+tmp/);
    expect(statuses()).toEqual(['000 126', '001 126', '002 127']);
  });

  it('does nothing if it is started a second time, or is no longer wanted', () => {
    const append = command(0, ['sh', '-c', `echo ran >>${join(folder, 'effects')}`]);
    expect(run([append]).status).toBe(0);
    const again = run([append]);
    expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining('started a second time') });
    expect(readFileSync(join(folder, 'effects'), 'utf8')).toBe('ran\n');
    rmSync(join(folder, 'area'), { recursive: true });
    expect(run([append]).status).toBe(0);
    mkdirSync(join(folder, 'area'));
    writeFileSync(area('stop'), '');
    expect(run([append]).status).toBe(0);
    expect(readFileSync(join(folder, 'effects'), 'utf8')).toBe('ran\n');
  });

  it('stops between commands when it is no longer needed', () => {
    const { status: code } = run([command(0, ['touch', area('stop')]), command(1, ['true'])]);
    expect(code).toBe(1);
    expect(marks('began')).toHaveLength(1);
  });
});
