import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { batch, cell, derived, effect, subscribe } from './reactive.ts';

afterEach(() => vi.unstubAllGlobals());

/** What an effect that reads `read` sees, in order. */
function watch<T>(read: () => T): { seen: T[]; stop: () => void } {
  const seen: T[] = [];
  return { seen, stop: effect(() => void seen.push(read())) };
}

describe('cells and effects', () => {
  it('run an effect now and at each change, until it is stopped', () => {
    const a = cell(1);
    const { seen, stop } = watch(a.get);
    a.set(2);
    stop();
    a.set(3);
    expect(seen).toEqual([1, 2]);
  });

  it('notify nobody when the value is equal, by Object.is or by the given function', () => {
    const plain = cell(Number.NaN);
    const rounded = cell(1.1, (a, b) => Math.round(a) === Math.round(b));
    const [first, second] = [watch(plain.get), watch(rounded.get)];
    plain.set(Number.NaN);
    rounded.set(1.2);
    rounded.set(2.2);
    expect([first.seen, second.seen]).toEqual([[Number.NaN], [1.1, 2.2]]);
  });

  it('forget what an effect no longer reads', () => {
    const [which, a, b] = [cell(true), cell('a'), cell('b')];
    const { seen } = watch(() => (which.get() ? a.get() : b.get()));
    which.set(false);
    a.set('unseen');
    expect(seen).toEqual(['a', 'b']);
  });

  it('notify once per batch, even when it throws, and not at all when nothing changed', () => {
    const [a, b] = [cell(1), cell(1)];
    const { seen } = watch(() => a.get() + b.get());
    batch(() => {
      a.set(2);
      b.set(2);
    });
    const failing = () =>
      batch(() => {
        a.set(3);
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(seen).toEqual([2, 4, 5]);
  });

  it('rerun an effect that sets what it reads, and stop one that never ends', () => {
    const a = cell(0);
    const { seen } = watch(() => {
      if (a.get() < 3) a.set(a.peek() + 1);
      return a.peek();
    });
    expect(seen.at(-1)).toBe(3);
    const endless = () => effect(() => a.set(a.get() + 1));
    expect(endless).toThrow('keep changing');
    expect(() => a.set(0)).toThrow('keep changing');
  });

  it('run the other effects when one throws, and report it', () => {
    const reported: unknown[] = [];
    vi.stubGlobal('reportError', (error: unknown) => reported.push(error));
    const a = cell(0);
    effect(() => {
      if (a.get() === 1) throw new Error('bad');
    });
    const { seen } = watch(a.get);
    a.set(1);
    a.set(2);
    expect(seen).toEqual([0, 1, 2]);
    expect(reported).toEqual([new Error('bad')]);
  });

  it('run no effect that an earlier one stopped', () => {
    const a = cell(0);
    let stop = () => {};
    effect(() => void (a.get() === 1 && stop()));
    const later = watch(a.get);
    stop = later.stop;
    a.set(1);
    expect(later.seen).toEqual([0]);
  });

  it('give a listener the new and the old value, and do not subscribe it to what it reads', () => {
    const [a, other] = [cell(1), cell(1)];
    const calls: number[][] = [];
    subscribe(a.get, (value, before) => calls.push([value, before, other.get()]));
    a.set(2);
    other.set(2);
    expect(calls).toEqual([[2, 1, 1]]);
  });
});

describe('derived values', () => {
  it('compute when they are read, and only once', () => {
    const a = cell(1);
    const compute = vi.fn(() => a.get() * 2);
    const twice = derived(compute);
    expect(compute).not.toHaveBeenCalled();
    expect([twice.get(), twice.get(), twice.peek()]).toEqual([2, 2, 2]);
    a.set(2);
    expect(twice.get()).toBe(4);
    expect(compute).toHaveBeenCalledTimes(2);
  });

  it('show no mix of old and new, and notify nobody when the result is equal', () => {
    const a = cell(1);
    const even = derived(() => a.get() % 2 === 0);
    const pair = derived(() => `${even.get()} ${a.get()}`);
    const [states, pairs] = [watch(even.get), watch(pair.get)];
    a.set(3);
    a.set(4);
    expect(states.seen).toEqual([false, true]);
    expect(pairs.seen).toEqual(['false 1', 'false 3', 'true 4']);
  });

  it('throw their error to every reader, until it is fixed', () => {
    const a = cell(0);
    const inverse = derived(() => {
      if (a.get() === 0) throw new Error('nothing to divide by');
      return 1 / a.get();
    });
    expect(inverse.get).toThrow('nothing');
    expect(inverse.get).toThrow('nothing');
    a.set(2);
    expect(inverse.get()).toBe(0.5);
  });

  it('refuse to read themselves and to set a state', () => {
    const loop: { get(): number } = derived(() => loop.get() + 1);
    expect(loop.get).toThrow('reads itself');
    const a = cell(0);
    expect(derived(() => a.set(1)).get).toThrow('may not set');
    expect(a.peek()).toBe(0);
  });

  it('equal a plain computation, whatever is set in whatever batches', () => {
    const change = fc.tuple(fc.nat(3), fc.integer({ min: -2, max: 2 }));
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }), (batches) => {
        const cells = [0, 0, 0, 0].map((value) => cell(value));
        const [a, b, c, d] = cells.map((each) => each.get) as [
          () => number,
          () => number,
          ...(() => number)[],
        ];
        const sign = derived(() => Math.sign(a() + b()));
        const chosen = derived(() => (sign.get() > 0 ? c!() : d!()));
        const total = derived(() => chosen.get() + a());
        const { seen } = watch(total.get);
        const plain = () => {
          const [w, x, y, z] = cells.map((each) => each.peek()) as [number, number, number, number];
          return (Math.sign(w + x) > 0 ? y : z) + w;
        };
        for (const changes of batches) {
          const before = seen.length;
          const was = plain();
          batch(() => {
            for (const [index, value] of changes) cells[index]!.set(value);
          });
          expect(seen.at(-1)).toBe(plain());
          expect(seen.length - before).toBe(was === plain() ? 0 : 1);
        }
      }),
    );
  });
});
