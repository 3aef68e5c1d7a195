import { type Event, emptyState, evolve, type JsonObject, newEvent, type Plan, type State } from '@woof/net';
import type { LogEntry } from '@woof/stores';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveProgress } from './live-progress.ts';
import { OutputInOrder } from './output-in-order.ts';
import { PlainProgress } from './plain-progress.ts';

const plan: Plan = {
  kind: 'playbook',
  name: 'test',
  entry: ['a'],
  failure: 'route',
  workload: {},
  keychain: [],
  blocks: {},
  where: {},
  steps: ['a', 'b'].map((name) => ({
    name,
    at: [1, 1],
    join: 'each' as const,
    admit: [],
    tasks: [],
    next: { mode: 'exclusive' as const, arcs: [] },
  })),
};

class Screen {
  readonly isTTY = false;
  columns = 40;
  rows = 10;
  written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
}

let state: State;
const happen = (events: Event[]): Event[] => {
  for (const event of events) evolve(state, event);
  return events;
};
const ofStep = (name: Event['name'], step: string, data?: JsonObject, run = 1): Event =>
  newEvent(name, Date.now(), { step, step_run_id: `${step}.${run}` }, data);
const scheduled = (step: string, run?: number) => ofStep('step.scheduled', step, { tokens: [] }, run);
const started = (step: string, run?: number) => ofStep('step.started', step, undefined, run);
const done = (step: string, run?: number) => ofStep('step.done', step, { result: 1 }, run);

beforeEach(() => {
  vi.useFakeTimers();
  state = emptyState('x', plan);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('plain progress', () => {
  test('a step that started and ended within a batch gets one line', () => {
    const screen = new Screen();
    const progress = new PlainProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a'), done('a'), scheduled('b'), started('b')]), state);
    expect(screen.written).toEqual([]);
    vi.advanceTimersByTime(150);
    expect(screen.written).toEqual(['✓ a  0 ms\n▶ b  100 ms\n']);
    progress.onEvents(happen([done('b')]), state);
    progress.end();
    expect(screen.written[1]).toMatch(/^✓ b {2}\d+ ms\n$/);
  });
});

test('a failure whose message has several lines takes one', () => {
  const screen = new Screen();
  const progress = new PlainProgress(screen);
  const error = { kind: 'task', message: 'syntax error\n\nLINE 1: SELEC 1\n        ^', retryable: false };
  progress.onEvents(happen([scheduled('a'), started('a'), ofStep('step.failed', 'a', { error })]), state);
  progress.end();
  expect(screen.written.join('')).toMatch(/^✗ a {2}\d+ ms {2}syntax error LINE 1: SELEC 1 \^\n/);
});

describe('plain progress of a step that runs again', () => {
  const error = { kind: 'task', message: 'no', retryable: false };

  test('gives each run its own line, also if the state is ahead', () => {
    const screen = new Screen();
    const progress = new PlainProgress(screen);
    const first = happen([scheduled('a'), started('a')]);
    vi.advanceTimersByTime(20);
    const second = happen([ofStep('step.failed', 'a', { error }), scheduled('a', 2), started('a', 2)]);
    vi.advanceTimersByTime(30);
    const third = happen([done('a', 2), scheduled('a', 3), started('a', 3)]);
    for (const events of [first, second, third]) progress.onEvents(events, state);
    vi.advanceTimersByTime(100);
    progress.onEvents(happen([ofStep('step.cancelled', 'a', { because: 'x' }, 3)]), state);
    progress.end();
    expect(screen.written).toEqual([
      '✗ a  20 ms  no\n✓ a  30 ms  run 2\n▶ a  100 ms  run 3\n',
      '■ a  100 ms  run 3\n',
    ]);
  });

  test('gives runs at the same time a line each', () => {
    const screen = new Screen();
    const progress = new PlainProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a'), scheduled('a', 2), started('a', 2)]), state);
    vi.advanceTimersByTime(100);
    progress.onEvents(happen([done('a', 2)]), state);
    vi.advanceTimersByTime(100);
    progress.onEvents(happen([done('a')]), state);
    progress.end();
    expect(screen.written).toEqual([
      '▶ a  100 ms\n▶ a  100 ms  run 2\n',
      '✓ a  100 ms  run 2\n',
      '✓ a  200 ms\n',
    ]);
  });
});

describe('plain progress under a flood', () => {
  test('the line of a step that ended is never dropped', () => {
    const screen = new Screen();
    const progress = new PlainProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a')]), state);
    const text = 'x\n'.repeat(500);
    progress.onLog({ step: 'a', text } as LogEntry);
    progress.onEvents(happen([done('a')]), state);
    progress.end();
    expect(screen.written.join('')).toContain('✓ a ');
    expect(screen.written.join('')).toContain('… and 300 more lines');
  });

  test('a step whose end is in the state before its event arrives gets one line', () => {
    const screen = new Screen();
    const progress = new PlainProgress(screen);
    const first = happen([scheduled('a'), started('a')]);
    const second = happen([done('a')]);
    progress.onEvents(first, state);
    vi.advanceTimersByTime(150);
    progress.onEvents(second, state);
    progress.end();
    expect(screen.written.join('').match(/✓ a/g)).toHaveLength(1);
  });
});

test.each([PlainProgress, LiveProgress])(
  'output of a step keeps its tabs, but no other control characters',
  (Kind) => {
    const screen = new Screen();
    const progress = new Kind(screen);
    progress.onLog({ step: 'a', text: 'x\ty\u001b[2J\rz\n' } as LogEntry);
    progress.end();
    expect(screen.written.join('')).toMatch(/a \| x\ty\uFFFD\[2J\uFFFDz(.\[K)?\n/);
  },
);

test.each([PlainProgress, LiveProgress])(
  'output of a step before an earlier step ended is shown above its own line',
  (Kind) => {
    const screen = new Screen();
    const progress = new Kind(screen);
    progress.onLog({ step: 'b', text: '12\n' } as LogEntry);
    progress.onEvents(happen([scheduled('a'), started('a'), done('a'), scheduled('b'), started('b')]), state);
    progress.onEvents(happen([done('b')]), state);
    progress.end();
    expect(screen.written.join('')).toMatch(/✓ a.*\n {2}b \| 12.*\n✓ b/);
  },
);

test.each([PlainProgress, LiveProgress])(
  'output waits for the events before it, however long these take to be durable',
  (Kind) => {
    const screen = new Screen();
    const shown = new OutputInOrder(new Kind(screen));
    const first = happen([scheduled('a'), started('a')]);
    const second = happen([done('a'), scheduled('b'), started('b')]);
    shown.onLog({ step: 'b', text: '12\n' } as LogEntry, state.seq);
    const third = happen([done('b')]);
    vi.advanceTimersByTime(150);
    shown.onEvents(first, state, 0);
    vi.advanceTimersByTime(150);
    expect(screen.written.join('')).not.toContain('12');
    shown.onEvents(second, state, 2);
    vi.advanceTimersByTime(150);
    shown.onEvents(third, state, 5);
    shown.end();
    expect(screen.written.join('')).toMatch(/✓ a[\s\S]*b \| 12[\s\S]*✓ b/);
  },
);

test('a few large pieces of output do not wait either if the disk is slow', () => {
  const screen = new Screen();
  const shown = new OutputInOrder(new PlainProgress(screen));
  happen([scheduled('a'), started('a')]);
  const text = `${'x'.repeat(1_000_000)}\n`;
  for (let piece = 0; piece < 20; piece++) shown.onLog({ step: 'a', text } as LogEntry, state.seq);
  vi.advanceTimersByTime(150);
  expect(screen.written.join('')).toContain('xxx');
  shown.end();
});

test.each([PlainProgress, LiveProgress])('output of a step does not wait for the end of the step', (Kind) => {
  const screen = new Screen();
  const progress = new Kind(screen);
  progress.onLog({ step: 'a', text: 'soon\n' } as LogEntry);
  vi.advanceTimersByTime(150);
  expect(screen.written.join('')).toContain('a | soon');
  progress.end();
});

describe('live progress', () => {
  test('running steps are redrawn in place, finished steps scroll up', () => {
    const screen = new Screen();
    const progress = new LiveProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a'), scheduled('b'), started('b')]), state);
    vi.advanceTimersByTime(100);
    expect(screen.written).toEqual(['\r▶ a  100 ms\u001b[K\n▶ b  100 ms\u001b[K\n\u001b[J']);
    progress.onEvents(happen([done('a')]), state);
    vi.advanceTimersByTime(100);
    expect(screen.written[1]).toBe('\u001b[2A\r✓ a  100 ms\u001b[K\n▶ b  200 ms\u001b[K\n\u001b[J');
    progress.onEvents(happen([done('b')]), state);
    progress.end();
    expect(screen.written[2]).toBe('\u001b[1A\r✓ b  200 ms\u001b[K\n\u001b[J');
  });

  test.each([
    [3, ['▶ a  1…', '▶ b  1…']],
    [2, ['  … an…']],
  ])('with %i rows: lines fit the width, and only as many as fit the height are live', (rows, expected) => {
    const screen = new Screen();
    Object.assign(screen, { columns: 8, rows });
    const progress = new LiveProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a'), scheduled('b'), started('b')]), state);
    vi.advanceTimersByTime(100);
    progress.end();
    expect(screen.written[0]!.split('\n').map((line) => line.replace(/\r|.\[[KJ]/g, ''))).toEqual([
      ...expected,
      '',
    ]);
  });

  test('a screen that became narrower wraps its lines, and the next frame moves up that much further', () => {
    const screen = new Screen();
    const progress = new LiveProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a')]), state);
    vi.advanceTimersByTime(100);
    screen.columns = 6;
    vi.advanceTimersByTime(100);
    expect(screen.written[1]).toMatch(/^.\[2A\r▶ a …/);
    progress.end();
  });

  test('a step that ends again and again has one line, which stays when the run is over', () => {
    const screen = new Screen();
    const progress = new LiveProgress(screen);
    const again = (id: string) => {
      const of = { step: 'a', step_run_id: id };
      return happen([
        newEvent('step.scheduled', Date.now(), of, { tokens: [] }),
        newEvent('step.started', Date.now(), of),
        newEvent('step.done', Date.now(), of, { result: 1 }),
      ]);
    };
    for (let count = 1; count <= 20; count++) {
      progress.onEvents(again(`a.${count}`), state);
      vi.advanceTimersByTime(100);
    }
    progress.end();
    const frames = screen.written.map((frame) => frame.split('\n').length - 1);
    // The first end scrolls up; from the second on there is one line, which is redrawn.
    expect(Math.max(...frames)).toBe(1);
    expect(screen.written.slice(2).every((frame) => frame.startsWith('\u001b[1A'))).toBe(true);
    expect(screen.written.at(-1)).toContain('run 20');
  });
});
