/** What a page shows of the server: loaded when the page opens and again when something says so. */
import { type Signal, signal } from '@preact/signals';
import { Problem } from '@woof/protocol';
import { useEffect, useMemo } from 'preact/hooks';

export interface Loaded<T> {
  value: Signal<T | undefined>;
  error: Signal<unknown>;
  again(): Promise<void>;
}

const AGAIN_MS = 2000;

/**
 * Of several answers that are on their way, the last one asked for counts. What was shown stays until it is there. A
 * server that does not answer, or has lost its store, is asked again.
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

const isPassing = (problem: unknown): boolean =>
  !(problem instanceof Problem) || problem.code === 'store/unavailable';

/** Asked for again every so often, while somebody looks: of these the server tells no changes. */
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
  /** Where the next page begins; undefined: there is none. */
  next: Signal<C | undefined>;
  error: Signal<unknown>;
  more(): Promise<void>;
}

/** A list that grows by a page at a time, whoever clicks how often. */
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
