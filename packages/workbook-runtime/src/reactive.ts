/**
 * Values that track their readers. A write marks its readers. A derived value is recomputed only when it is read and
 * something that it read has really changed. Effects run once at the end of a batch, and each sees the whole batch.
 *
 * Invariants: no reader sees a mix of old and new values; an effect whose inputs returned to their old values does not
 * run; an effect that throws does not prevent others from running.
 */
import { WbError } from './wb-error.ts';

type Equals<T> = (a: T, b: T) => boolean;

const CLEAN = 0;
/** Something that was read may have changed. */
const ASK = 1;
const STALE = 2;
type Mark = typeof CLEAN | typeof ASK | typeof STALE;

/** Limit for effects that set what they read. */
const MAX_ROUNDS = 100;

let reading: Computation | undefined;
let batches = 0;
let waiting = new Set<Computation>();

class Source<T> {
  value: T;
  readonly readers = new Set<Computation>();
  readonly equals: Equals<T>;
  readonly by: Computation | undefined;

  constructor(value: T, equals: Equals<T>, by?: Computation) {
    this.value = value;
    this.equals = equals;
    this.by = by;
  }

  read(): T {
    this.by?.refresh();
    if (reading) {
      this.readers.add(reading);
      reading.sources.add(this as Source<unknown>);
    }
    return this.value;
  }

  /** Returns whether the value changed. */
  write(value: T): boolean {
    if (this.equals(this.value, value)) return false;
    this.value = value;
    for (const reader of this.readers) reader.stain(STALE);
    return true;
  }
}

class Computation {
  mark: Mark = STALE;
  running = false;
  stopped = false;
  readonly sources = new Set<Source<unknown>>();
  readonly run: () => void;
  /** The source of a derived value, whose readers are marked; an effect has none, and is queued to run. */
  readonly result: (() => Source<unknown>) | undefined;

  constructor(run: () => void, result?: () => Source<unknown>) {
    this.run = run;
    this.result = result;
  }

  stain(mark: Mark): void {
    if (this.mark >= mark) return;
    const wasClean = this.mark === CLEAN;
    this.mark = mark;
    if (!wasClean) return;
    if (!this.result) waiting.add(this);
    else for (const reader of this.result().readers) reader.stain(ASK);
  }

  refresh(): void {
    if (this.running)
      throw new WbError('misuse', 'A derived value reads itself, directly or through others.');
    if (this.mark === ASK) this.ask();
    const isStale = this.mark === STALE;
    // Before it runs, because an effect may set what it reads.
    this.mark = CLEAN;
    if (isStale && !this.stopped) this.renew();
  }

  private ask(): void {
    for (const source of this.sources) {
      // If a derived value changes, it marks this one as stale.
      source.by?.refresh();
      if ((this.mark as Mark) === STALE) return;
    }
  }

  private renew(): void {
    this.leave();
    const outer = reading;
    reading = this;
    this.running = true;
    try {
      this.run();
    } finally {
      reading = outer;
      this.running = false;
    }
  }

  stop(): void {
    this.stopped = true;
    this.leave();
  }

  private leave(): void {
    for (const source of this.sources) source.readers.delete(this);
    this.sources.clear();
  }
}

export interface Cell<T> {
  get(): T;
  peek(): T;
  set(value: T): void;
}

export function cell<T>(initial: T, equals: Equals<T> = Object.is): Cell<T> {
  const source = new Source(initial, equals);
  return {
    get: () => source.read(),
    peek: () => source.value,
    set(value) {
      if (reading?.result) throw new WbError('misuse', 'A derived value may not set a state; use an effect.');
      if (source.write(value)) settle();
    },
  };
}

type Computed<T> = { value: T } | { error: unknown };

export function derived<T>(compute: () => T, equals: Equals<T> = Object.is): Omit<Cell<T>, 'set'> {
  const same: Equals<Computed<T> | undefined> = (a, b) =>
    a !== undefined && b !== undefined && 'value' in a && 'value' in b && equals(a.value, b.value);
  const computation = new Computation(
    () => source.write(attempt(compute)),
    () => source as Source<unknown>,
  );
  const source = new Source<Computed<T> | undefined>(undefined, same, computation);
  const get = (): T => {
    const made = source.read()!;
    if ('error' in made) throw made.error;
    return made.value;
  };
  return { get, peek: () => untracked(get) };
}

function attempt<T>(compute: () => T): Computed<T> {
  try {
    return { value: compute() };
  } catch (error) {
    return { error };
  }
}

export function effect(run: () => void): () => void {
  const computation = new Computation(run);
  batch(() => computation.refresh());
  return () => computation.stop();
}

export function batch<T>(change: () => T): T {
  batches++;
  try {
    return change();
  } finally {
    batches--;
    settle();
  }
}

export function untracked<T>(read: () => T): T {
  const outer = reading;
  reading = undefined;
  try {
    return read();
  } finally {
    reading = outer;
  }
}

/** Calls the listener with each new value of `read`. */
export function subscribe<T>(read: () => T, listener: (value: T, before: T) => void): () => void {
  let before: { value: T } | undefined;
  return effect(() => {
    const value = read();
    const last = before;
    before = { value };
    if (last) untracked(() => listener(value, last.value));
  });
}

function settle(): void {
  if (batches > 0) return;
  batches++;
  try {
    for (let round = 0; waiting.size > 0; round++) {
      if (round === MAX_ROUNDS) throw endless();
      const now = waiting;
      waiting = new Set();
      for (const computation of now) runSafely(computation);
    }
  } finally {
    batches--;
  }
}

/** They run again with the next change. */
function endless(): WbError {
  for (const computation of waiting) computation.mark = CLEAN;
  waiting.clear();
  return new WbError('misuse', 'Effects keep changing what they read.');
}

function runSafely(computation: Computation): void {
  try {
    computation.refresh();
  } catch (error) {
    reportError(error);
  }
}
