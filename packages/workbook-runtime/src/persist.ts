/**
 * Values that outlive the page, and states bound to them. If nothing can be kept, the same calls do nothing, report
 * that in their results, and show a hint on the page once.
 */
import type { Persist, State } from './api.ts';
import { decode, encode, type Guard } from './codec.ts';
import type { NamedStates } from './states.ts';
import type { ValueStore } from './value-store.ts';
import { WbError } from './wb-error.ts';

export interface PersistParts {
  /** Undefined if nothing can be kept. */
  store: Promise<ValueStore | undefined>;
  states: NamedStates;
  guard: Guard;
  /** Called if nothing can be kept here. */
  onNothingKept(): void;
  /** Called if a change of a bound state could not be kept. */
  onProblem(error: unknown): void;
  onKept(): void;
}

interface Bound {
  loaded: Promise<void>;
  done(): Promise<void>;
}

export function makePersist(parts: PersistParts): Persist {
  const bound = new Map<string, Bound>();

  async function set(key: string, value: unknown): Promise<boolean> {
    parts.guard(String(key), 'the key');
    const text = encode(value, String(key), parts.guard);
    const store = await parts.store;
    if (!store) parts.onNothingKept();
    await store?.set(String(key), text);
    return store !== undefined;
  }

  async function get<T>(key: string): Promise<T | undefined> {
    const text = await (await parts.store)?.get(String(key));
    return typeof text === 'string' ? (decode(text) as T) : undefined;
  }

  function bindOne(state: State<unknown>): Bound {
    const known = bound.get(state.name);
    if (known) return known;
    const keeper = keepLatest(async () => {
      if (await set(state.name, state.peek())) parts.onKept();
    }, parts.onProblem);
    let isLoaded = false;
    let isChanged = false;
    state.subscribe(() => {
      if (parts.states.isOffering()) return;
      isChanged = true;
      if (isLoaded) keeper.keep();
    });
    const load = async () => {
      const value = await get(state.name).catch(forgetDamaged);
      // A person's change in the meantime, or the link that was opened, is newer.
      const isNewer = isChanged || parts.states.wasAsked(state.name);
      if (value !== undefined && !isNewer && parts.states.accepts(state.name, value)) state.set(value);
      else if (isChanged) keeper.keep();
      isLoaded = true;
    };
    // A value that could not be read is not overwritten either.
    const made = { loaded: load().catch(parts.onProblem), done: keeper.done };
    bound.set(state.name, made);
    return made;
  }

  const bind = async (...states: State<unknown>[]) => {
    await Promise.all(states.map((state) => bindOne(state).loaded));
  };

  const flush = async () => {
    await Promise.all([...bound.values()].map(({ loaded, done }) => loaded.then(done)));
  };

  return {
    get,
    set,
    delete: async (key) => void (await (await parts.store)?.delete(String(key))),
    keys: async () => (await (await parts.store)?.keys()) ?? [],
    bind,
    flush,
  };
}

function forgetDamaged(error: unknown): undefined {
  if (!(error instanceof WbError && error.code === 'damaged')) throw error;
}

/** One write at a time; changes in the meantime are written once, afterwards. */
function keepLatest(write: () => Promise<void>, onProblem: (error: unknown) => void) {
  let running: Promise<void> | undefined;
  let isStale = false;
  const run = async () => {
    while (isStale) {
      isStale = false;
      await write().catch(onProblem);
    }
    running = undefined;
  };
  return {
    keep() {
      isStale = true;
      running ??= run();
    },
    done: async () => running,
  };
}
