/**
 * Logs as this and earlier versions of Woof recorded them: today's program reads each, and folds it to the recorded
 * state. `e2e/cli/golden-logs.test.ts` shows and continues them with the real program.
 */
import { readFileSync } from 'node:fs';
import { hashState } from '@woof/engine';
import {
  decodeJson,
  EVENTS,
  type EventName,
  emptyState,
  encodeJson,
  evolve,
  fromSnapshot,
  LOG_VERSION,
  readPlan,
  toSnapshot,
} from '@woof/net';
import { strayFields } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, folder, goldenNames, readGolden, stateHash, stateOf } from './golden-log.ts';

const RECORDING_MS = 600_000;
const mode = process.env.WOOF_RECORD_LOGS;
if (mode !== undefined)
  it(
    'records',
    async () => {
      const { recordHashes, recordLogs } = await import('./record.ts');
      await (mode === 'hashes' ? recordHashes() : recordLogs());
    },
    RECORDING_MS,
  );

/** Events that no log here has: they need several servers, a long loop, or a worker that stops. */
const UNRECORDED: EventName[] = [
  'loop.results.stored',
  'job.released',
  'job.expired',
  'execution.driven',
  'execution.resumed',
];

const logs = goldenNames().map((name) => [name, readGolden(name)] as const);
const all = logs.flatMap(([, { executions }]) => executions);

describe.each(logs)('the log %s', (name, { executions }) => {
  it('folds to the state that was recorded', () => {
    for (const golden of executions) {
      expect(stateHash(golden)).toBe(golden.state);
      expect(stateOf(golden)).toMatchObject({ status: golden.row.status, seq: golden.events.length });
    }
  });

  it('folds to the same state from a snapshot taken anywhere', () => {
    for (const golden of executions) {
      const plan = readPlan(golden.plan);
      const restored = eventsOf(golden).reduce(
        (state, event) => {
          const snapshot = decodeJson(encodeJson(toSnapshot(state)));
          return evolve(fromSnapshot(snapshot, plan), event);
        },
        emptyState(golden.row.execution_id, plan),
      );
      expect(hashState(restored)).toBe(golden.state);
    }
  });

  it('has the fields that its events should have', () => {
    for (const golden of executions) expect(eventsOf(golden).flatMap(strayFields)).toEqual([]);
  });

  it('reveals nothing about the machine that recorded it', () => {
    expect(readFileSync(`${folder}${name}.jsonl`, 'utf8')).not.toMatch(/\/(home|tmp|root|usr|Users|work)\//);
  });
});

it('there is a log of every version', () => {
  const versions = Array.from({ length: LOG_VERSION }, (_, index) => index + 1);
  expect([...new Set(all.map(({ version }) => version))].sort()).toEqual(versions);
});

it('the logs contain every event except those listed', () => {
  const seen = new Set(all.flatMap(eventsOf).map(({ name }) => name));
  const unseen = (Object.keys(EVENTS) as EventName[]).filter((name) => !seen.has(name));
  expect(unseen).toEqual(UNRECORDED);
});
