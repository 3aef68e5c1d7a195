/** Data of the server that a page shows: loaded when the page opens, and again when it has changed. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isPassing } from './session.ts';

export interface Loaded<T> {
  value: Signal<T | undefined>;
  error: Signal<unknown>;
  again(): Promise<void>;
}

export const AGAIN_MS = 2000;

/**
 * If several answers are pending, only the last request counts. What was shown stays until it arrives. If the server
 * does not answer, or has lost its store, the request is repeated.
 */
export function useLoaded<T>(load: () => Promise<T>, key: string): Loaded<T> {
  const loaded = useMemo(() => {
    const value = signal<T | undefined>(undefined);
    const error = signal<unknown>(undefined);
    let asked = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = async () => {
      const own = ++asked;
      clearTimeout(timer);
      try {
        const found = await load();
        if (own !== asked) return;
        value.value = found;
        error.value = undefined;
      } catch (problem) {
        if (own !== asked) return;
        error.value = problem;
        if (isPassing(problem)) timer = setTimeout(() => void again(), AGAIN_MS);
      }
    };
    const stop = () => {
      asked += 1;
      clearTimeout(timer);
    };
    return { value, error, again, stop };
  }, [key]);
  useEffect(() => {
    void loaded.again();
    return loaded.stop;
  }, [loaded]);
  return loaded;
}

/** Repeated periodically while somebody looks, because the server does not report changes of this data. */
export function usePolled<T>(load: () => Promise<T>, key: string, everyMs: number): Loaded<T> {
  const loaded = useLoaded(load, key);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void loaded.again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [loaded, everyMs]);
  return loaded;
}

export interface Pages<T, C> {
  rows: Signal<T[] | undefined>;
  /** Where the next page begins; undefined if there is none. */
  next: Signal<C | undefined>;
  error: Signal<unknown>;
  more(): Promise<void>;
}

/** A list that grows by one page at a time, however often somebody clicks. */
export function usePages<T, C>(
  page: (from: C | undefined) => Promise<{ rows: readonly T[]; next: C | undefined }>,
  key: string,
): Pages<T, C> {
  const pages = useMemo(() => {
    const rows = signal<T[] | undefined>(undefined);
    const next = signal<C | undefined>(undefined);
    const error = signal<unknown>(undefined);
    let isBusy = false;
    const more = async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        const found = await page(next.peek());
        rows.value = [...(rows.peek() ?? []), ...found.rows];
        next.value = found.next;
        error.value = undefined;
      } catch (problem) {
        error.value = problem;
      }
      isBusy = false;
    };
    return { rows, next, error, more };
  }, [key]);
  useEffect(() => void pages.more(), [pages]);
  return pages;
}
