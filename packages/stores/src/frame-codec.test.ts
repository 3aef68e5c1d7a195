import { decodeJson, EVENTS, type Event, encodeJson, newEvent } from '@woof/net';
import { exactValue } from '@woof/testkit/exact-values';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from './frame-codec.ts';

const id = fc.oneof(fc.constantFrom('s', 's.1', 's.1/0', '/', ''), fc.string({ minLength: 1 }));

const event: fc.Arbitrary<Event> = fc
  .record(
    {
      name: fc.constantFrom(...(Object.keys(EVENTS) as Event['name'][])),
      at: fc.nat(5),
      step: id,
      step_run_id: id,
      iteration_id: id,
      task_run_id: fc.oneof(id, fc.constantFrom('s.1/t.1', 's.1/0/t.1')),
      task_label: id,
      attempt: fc.nat(3),
      fence: fc.nat(3),
      data: fc.dictionary(fc.string(), exactValue) as fc.Arbitrary<never>,
    },
    { requiredKeys: ['name', 'at'] },
  )
  .map((made) => decodeJson<Event>(encodeJson(made)))
  .map(({ name, at, data, ...about }) => newEvent(name, at, about, data));

it('gives back what went in', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      expect(decodeFrame(encodeFrame(events))).toEqual(events);
    }),
    { numRuns: 2000 },
  );
});

/** What the engine makes of a task of a loop: the same objects occur in several places. */
const ended = fc
  .tuple(exactValue, fc.dictionary(fc.string(), fc.string()), fc.dictionary(fc.string(), exactValue))
  .map(([value, headers, more]): Event[] => {
    const result = { ...more, headers, value } as never;
    const http = { status: 200, headers, request_id: null };
    return [
      newEvent(
        'task.done',
        1,
        { step: 's' },
        { outcome: { status: 'ok', result, http }, directive: { do: 'continue' } },
      ),
      newEvent('loop.iteration.done', 1, { step: 's' }, { index: 0, result }),
    ];
  });

it('gives back a repeated value in each place, with its keys in order', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          ended,
          event.map((one) => [one]),
        ),
        { maxLength: 4 },
      ),
      (lists) => {
        const events = lists.flat();
        expect(encodeJson(decodeFrame(encodeFrame(events)))).toEqual(encodeJson(events));
      },
    ),
  );
});

it('writes the same object once', () => {
  const headers = { server: 'a' };
  const result = { headers, data: 'once' };
  const outcome = { status: 'ok' as const, result, http: { status: 200, headers, request_id: null } };
  const text = encodeFrame([
    newEvent('task.done', 1, { step: 's' }, { outcome, directive: { do: 'continue' } }),
    newEvent('step.done', 1, { step: 's' }, { result }),
  ]);
  expect(text.split('once')).toHaveLength(2);
  expect(text.split('server')).toHaveLength(2);
});

it('does not repeat what the previous event said', () => {
  const ids = {
    step: 'fetch',
    step_run_id: 'fetch.1',
    fence: 1,
    task_run_id: 'fetch.1/get.1',
    task_label: 'get',
    attempt: 1,
  };
  const said = { outcome: { status: 'ok' }, directive: { do: 'continue' } } as const;
  const text = encodeFrame([
    newEvent('task.started', 1_700_000_000_000, ids),
    newEvent('task.done', 1_700_000_000_003, ids, said),
    newEvent('step.started', 1_700_000_000_003, { step: 'fetch' }),
  ]);
  expect(JSON.parse(text)).toEqual([
    ['task.started', 1_700_000_000_000, 'fetch', 'fetch.1', 0, '/get.1', 'get', 3, 3],
    ['task.done', 3, 1, 1, 0, 1, 1, 1, 1, said],
    ['step.started', 0, 1],
  ]);
});
