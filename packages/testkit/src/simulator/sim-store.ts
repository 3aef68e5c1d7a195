/** One process's connection to the shared store: slow, sometimes down, sometimes silent about what it did. */
import { type Append, type MemoryStore, type Refused, type SharedStore, StoreError } from '@woof/stores';
import type { Fault, Shape } from './faults.ts';
import type { Random } from './random.ts';
import type { Life, VirtualTime } from './virtual-time.ts';

export interface StoreWeather {
  /** Until when nobody can reach the store. */
  awayUntil: number;
  troubled: boolean;
}

export function connect(
  shared: MemoryStore,
  life: Life,
  world: { time: VirtualTime; random: Random; shape: Shape; weather: StoreWeather },
): SharedStore {
  const { time, random, shape, weather } = world;
  const happens = (fault: Fault, probability: number) =>
    weather.troubled && shape.faults.has(fault) && random.chance(probability);
  const away = () => new StoreError('unavailable', 'the store does not answer');

  const call = async <T>(body: () => Promise<T>): Promise<T> => {
    await time.sleep(random.delay(0.1, 3));
    if (weather.awayUntil > time.now || happens('store-away', 0.003)) throw away();
    const value = await body();
    await time.sleep(random.delay(0.1, 3));
    if (happens('store-answer-lost', 0.005)) throw away();
    return value;
  };

  const append = (batch: readonly Append[]): Promise<Refused[]> =>
    call(async () => {
      if (batch.length < 2 || !happens('torn-batch', 0.03)) return shared.append(batch);
      await shared.append(batch.slice(0, random.between(0, batch.length - 1)));
      throw away();
    });

  const wrap = <T extends object>(target: T, special: Partial<Record<string, unknown>> = {}): T =>
    new Proxy(target, {
      get(_, name: string) {
        if (name in special) return special[name];
        const value = (target as Record<string, unknown>)[name];
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) =>
          life.survive(call(() => (value as (...a: unknown[]) => Promise<unknown>).apply(target, args)));
      },
    });

  async function* read(executionId: string, from?: number) {
    const frames = await life.survive(
      call(async () => {
        const all = [];
        for await (const frame of shared.read(executionId, from)) all.push(frame);
        return all;
      }),
    );
    yield* frames;
  }

  const listen: SharedStore['listen'] = (memberId, hear) =>
    life.survive(
      call(() =>
        shared.listen(memberId, (message) => {
          if (life.alive) time.enter(life, () => hear(message));
        }),
      ),
    );

  return wrap<SharedStore>(shared, {
    append: (batch: readonly Append[]) => life.survive(append(batch)),
    read,
    listen,
    records: wrap(shared.records),
    permits: wrap(shared.permits),
  });
}
