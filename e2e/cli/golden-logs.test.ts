/**
 * Recorded logs in a data directory of the current version: the real program shows each, continues those that have not
 * ended, and refuses newer ones.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileBlobs, openDatabase, SqliteStore } from '@woof/stores';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type GoldenLog,
  goldenNames,
  importGolden,
  readGolden,
  stateOf,
} from '../../conformance/logs/golden-log.ts';
import { lastJson, runWoof, temporaryFolder } from './woof.ts';

const logs: [string, GoldenLog][] = goldenNames().map((name) => [name, readGolden(name)]);

let cwd: string;
const woof = (...args: string[]) => runWoof(args, { cwd });

beforeAll(async () => {
  cwd = temporaryFolder();
  const data = join(cwd, '.woof');
  mkdirSync(data);
  const store = new SqliteStore(join(data, 'woof.db'));
  const blobs = new FileBlobs(join(data, 'blobs'));
  for (const [, log] of logs) await importGolden(log, store, blobs);
  await store.close();
});

test.each(logs)('woof show: %s', async (name, { executions }) => {
  const [golden] = executions;
  const state = stateOf(golden!);
  const shown = lastJson<{ status: string; events: number; result?: unknown }>(
    await woof('show', name, '--json'),
  );
  expect(shown).toMatchObject({ status: golden!.row.status, events: golden!.events.length });
  const plain = <T>(value: T) => JSON.parse(JSON.stringify({ value })) as unknown;
  expect(plain(shown.result)).toEqual(plain(state.result));
});

describe('a log that has not ended is continued', () => {
  test.each([
    ['interrupted', ['resume', 'interrupted']],
    ['paused', ['resume', 'paused']],
    ['gate', ['approve', 'gate', '--by', 'ada']],
  ])('%s', async (name, command) => {
    expect(await woof(...command)).toMatchObject({ status: 0 });
    const { status, steps } = lastJson(await woof('show', name, '--json'));
    expect(status).toBe('succeeded');
    expect(steps.end).toMatchObject({ status: 'succeeded', result: name === 'gate' ? 'through' : 2 });
  });
});

test('a stored value of a log is available', async () => {
  const { stdout } = await woof('result', 'large', 'start');
  expect(stdout).toContain('woof woof woof');
});

describe('a log of a newer Woof is refused with its version, and left unchanged', () => {
  const newer = (sql: string) => {
    const db = openDatabase(join(cwd, '.woof', 'woof.db'));
    db.exec(sql);
    db.close();
  };

  const NO = (id: string) => `(SELECT no FROM executions WHERE id = '${id}')`;
  const HASH = (id: string) => `(SELECT row ->> 'plan_hash' FROM executions WHERE id = '${id}')`;

  test.each([
    [
      'the log',
      'loops',
      1,
      `UPDATE frames SET events = '[99,' || substr(events, 2) WHERE no = ${NO('loops')}`,
    ],
    [
      'the plan',
      'retries',
      1,
      `UPDATE plans SET plan = '{"version":99,' || substr(plan, 2) WHERE hash = ${HASH('retries')}`,
    ],
    ['the snapshot', 'failed', 2, `INSERT INTO snapshots VALUES (${NO('failed')}, 1, '{"version":99}')`],
  ])('%s', async (what, name, known, sql) => {
    expect((await woof('show', name)).status).toBe(0);
    newer(sql);
    const { status, stderr } = await woof('show', name);
    expect(status).toBe(1);
    expect(stderr).toBe(
      `error: ${what} of run ${name} has version 99, and this Woof reads versions up to ${known}\n  fix: upgrade woof\n`,
    );
  });
});
