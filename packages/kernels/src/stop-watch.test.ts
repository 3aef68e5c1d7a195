import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StopWatch } from './stop-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(
  timeoutMs: number | undefined,
  { interrupts = false, signal = new AbortController().signal } = {},
) {
  const done: string[] = [];
  const interrupt = interrupts ? () => void done.push('interrupt') : undefined;
  const kill = () => void done.push('kill');
  const setting = { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  return { done, watch: new StopWatch(setting, { interrupt, kill, graceMs: 1000 }) };
}

it('kills at the timeout, or interrupts and kills what does not end', () => {
  const plain = watch(5000);
  const polite = watch(5000, { interrupts: true });
  vi.advanceTimersByTime(4999);
  expect([plain.done, polite.done]).toEqual([[], []]);
  vi.advanceTimersByTime(1);
  expect([plain.done, polite.done, plain.watch.timedOut]).toEqual([['kill'], ['interrupt'], true]);
  vi.advanceTimersByTime(1000);
  expect(polite.done).toEqual(['interrupt', 'kill']);
});

it('kills at once when the signal aborts, also if it already has', () => {
  const controller = new AbortController();
  const running = watch(undefined, { interrupts: true, signal: controller.signal });
  controller.abort();
  expect([running.done, running.watch.aborted, running.watch.timedOut]).toEqual([['kill'], true, false]);
  expect(watch(undefined, { signal: controller.signal }).done).toEqual(['kill']);
});

it('does nothing after the end', () => {
  const controller = new AbortController();
  const { done, watch: ended } = watch(5000, { signal: controller.signal });
  ended.stop();
  vi.advanceTimersByTime(10_000);
  controller.abort();
  expect(done).toEqual([]);
});

it('waits for a timeout that is longer than any timer', () => {
  const { done } = watch(9_999_999_000);
  vi.advanceTimersByTime(86_400_000);
  expect(done).toEqual([]);
});
