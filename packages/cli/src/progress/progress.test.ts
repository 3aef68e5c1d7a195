import { type Event, emptyState, evolve, type JsonObject, newEvent, type Plan, type State } from '@woof/net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LiveProgress } from './live-progress.ts';
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
const ofStep = (name: Event['name'], step: string, data?: JsonObject): Event =>
  newEvent(name, Date.now(), { step, step_run_id: `${step}.1` }, data);
const scheduled = (step: string) => ofStep('step.scheduled', step, { tokens: [] });
const started = (step: string) => ofStep('step.started', step);
const done = (step: string) => ofStep('step.done', step, { result: 1 });

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

describe('plain progress under a flood', () => {
  test('the line of a step that ended is never dropped', () => {
    const screen = new Screen();
    const progress = new PlainProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a')]), state);
    const text = 'x\n'.repeat(500);
    progress.onLog({ step: 'a', text } as Parameters<PlainProgress['onLog']>[0]);
    progress.onEvents(happen([done('a')]), state);
    progress.end();
    expect(screen.written.join('')).toContain('✓ a ');
    expect(screen.written.join('')).toContain('… and 300 more lines');
  });

  test('a step whose end is in the state before its event comes gets one line', () => {
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
  'what a step writes keeps its tabs, and nothing else that steers',
  (Kind) => {
    const screen = new Screen();
    const progress = new Kind(screen);
    progress.onLog({ step: 'a', text: 'x\ty\u001b[2J\rz\n' } as Parameters<PlainProgress['onLog']>[0]);
    progress.end();
    expect(screen.written.join('')).toContain('a | x\ty\uFFFD[2J\uFFFDz\n');
  },
);

describe('live progress', () => {
  test('what runs is redrawn in place, what ended scrolls up', () => {
    const screen = new Screen();
    const progress = new LiveProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a'), scheduled('b'), started('b')]), state);
    vi.advanceTimersByTime(100);
    expect(screen.written).toEqual(['\r\u001b[J▶ a  100 ms\n▶ b  100 ms\n']);
    progress.onEvents(happen([done('a')]), state);
    vi.advanceTimersByTime(100);
    expect(screen.written[1]).toBe('\u001b[2A\r\u001b[J✓ a  100 ms\n▶ b  200 ms\n');
    progress.onEvents(happen([done('b')]), state);
    progress.end();
    expect(screen.written[2]).toBe('\u001b[1A\r\u001b[J✓ b  200 ms\n');
  });

  test('lines fit the width, and only as many as fit the height are live', () => {
    const screen = new Screen();
    Object.assign(screen, { columns: 8, rows: 3 });
    const progress = new LiveProgress(screen);
    progress.onEvents(happen([scheduled('a'), started('a'), scheduled('b'), started('b')]), state);
    vi.advanceTimersByTime(100);
    progress.end();
    const [, first] = screen.written[0]!.split('\u001b[J');
    expect(first).toBe('▶ a  1…\n  … an…\n');
  });
});
