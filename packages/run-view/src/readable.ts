/** Values that change, and say so. Studio's signals are such values; a report needs no library for its own. */

export interface Readable<T> {
  peek(): T;
  /** Calls back now and after each change, until the returned function is called. */
  subscribe(changed: (value: T) => void): () => void;
}

export interface Writable<T> extends Readable<T> {
  value: T;
}

export function writable<T>(first: T): Writable<T> {
  let now = first;
  const listeners = new Set<(value: T) => void>();
  return {
    get value() {
      return now;
    },
    set value(value) {
      now = value;
      for (const changed of [...listeners]) changed(value);
    },
    peek: () => now,
    subscribe(changed) {
      listeners.add(changed);
      changed(now);
      return () => listeners.delete(changed);
    },
  };
}
