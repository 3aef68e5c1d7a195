import { Driver, loop, plan, step } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import { fromEnvelope, toEnvelope } from './envelope.ts';
import { newEvent } from './event.ts';
import { currentVersion, type Format, NewerVersion, toCurrent } from './format.ts';
import type { Json, JsonObject } from './json.ts';
import { readEvent } from './read-event.ts';
import { readPlan, writtenPlan } from './read-plan.ts';
import { fromSnapshot, toSnapshot } from './snapshot.ts';
import { LOG, PLAN, SNAPSHOT } from './upcasters.ts';

describe('a format', () => {
  const format: Format<string> = { what: 'the test', upcasters: [(old) => `${old}2`, (old) => `${old}3`] };

  it('brings a value through every later version, in order', () => {
    expect(currentVersion(format)).toBe(3);
    expect([undefined, 1, 2, 3].map((version) => toCurrent(format, 'v', version))).toEqual([
      'v23',
      'v23',
      'v3',
      'v',
    ]);
  });

  it('refuses a newer version, and says which one and what to do', () => {
    expect(() => toCurrent(format, 'v', 4)).toThrow(new NewerVersion('the test', 4, 3));
    expect(new NewerVersion('the test', 4, 3).message).toBe(
      'the test has version 4, and this Woof reads versions up to 3; upgrade woof',
    );
  });

  it.each([0, -1, 1.5, '2', null, {}, Number.NaN])('refuses %j as a version', (version) => {
    expect(() => toCurrent(format, 'v', version)).toThrow('a whole number above 0');
  });
});

describe('what is newer than this program is refused, and what it wrote itself is read', () => {
  const driver = () => new Driver(plan([step('start')]));

  it('a snapshot', () => {
    const { state } = driver();
    const own = toSnapshot(state) as JsonObject;
    expect(toSnapshot(fromSnapshot(own, state.plan))).toEqual(own);
    const newer = { ...own, version: currentVersion(SNAPSHOT) + 1 };
    expect(() => fromSnapshot(newer, state.plan)).toThrow(NewerVersion);
  });

  it('a plan', () => {
    const own = writtenPlan(plan([step('start')]));
    const stored = own as unknown as JsonObject;
    expect(readPlan(stored)).toEqual(own);
    expect(() => readPlan({ ...stored, version: currentVersion(PLAN) + 1 })).toThrow(NewerVersion);
  });

  it('an event', () => {
    const event = newEvent('step.done', 1, { step: 'start', step_run_id: 'start.1' }, { result: 7 });
    const envelope = toEnvelope(event, 'run', 1);
    expect(fromEnvelope(envelope)).toEqual(event);
    expect(() => fromEnvelope({ ...envelope, version: currentVersion(LOG) + 1 })).toThrow(NewerVersion);
  });

  it.each(['step.dreamt', 'constructor', '__proto__'])('an event with the unknown name %s', (name) => {
    const read = () => readEvent({ ...newEvent('step.done', 1, {}, { result: 7 }), name, data: undefined });
    expect(read).toThrow(NewerVersion);
    expect(read).toThrow(`the log contains the event "${name}", which this Woof does not know; upgrade woof`);
  });
});

describe('a plan that was converted', () => {
  const once = (old: JsonObject) => ({ ...old, tries: Number(old.tries ?? 0) + 1 });
  const format: Format<JsonObject> = { what: 'the plan', upcasters: [once] };
  const stored = plan([step('start')]) as unknown as JsonObject;

  it('is not converted again when it is read again', () => {
    const read = readPlan(stored, format) as unknown as JsonObject;
    expect(read).toEqual({ ...stored, tries: 1, version: 2 });
    expect(readPlan(read, format)).toBe(read);
  });

  it('is the same value if it is current', () => {
    expect(readPlan(stored)).toBe(stored);
  });
});

describe('snapshots of version 1', () => {
  const oldOf = (driver: Driver) => {
    const { version: _, ...old } = JSON.parse(JSON.stringify(toSnapshot(driver.state)));
    return old as { loops: [string, Record<string, Json>][]; jobs: [string, { pipeline: JsonObject }][] };
  };

  it('kept a place for every result of a loop', () => {
    const driver = new Driver(plan([step('each', { loop: loop([7, 8, 9]) })]));
    driver.ok('each.1/0', 'first');
    const old = oldOf(driver);
    const [, plain] = old.loops[0]!;
    delete plain.stored;
    delete plain.bytes;
    delete plain.oldest;
    plain.results = ['first', null, null];
    driver.state = fromSnapshot(old as never, driver.plan);
    driver.runAll((id) => id);
    expect(driver.state.steps.get('each')?.result).toMatchObject({
      results: ['first', 'each.1/1', 'each.1/2'],
    });
  });

  it('did not count the leases that a job lost', () => {
    const driver = new Driver(plan([step('start')]));
    driver.do({ type: 'LeaseJob', job_id: 'start.1', worker: 'w' });
    const old = oldOf(driver);
    delete old.jobs[0]![1].pipeline.lost;
    driver.state = fromSnapshot(old as never, driver.plan);
    driver.do({ type: 'ExpireJob', job_id: 'start.1', fence: 1, reason: 'gone' });
    expect(driver.state.jobs.get('start.1')?.pipeline.lost).toBe(1);
  });
});
