/** Repeats calls until they succeed: networks fail and servers restart. */
const FIRST_MS = 25;
const LONGEST_MS = 2000;

/**
 * An error with a status below 500 is about the call itself. Waiting helps only with a timeout or "too many requests".
 */
export function isFinal(error: unknown): boolean {
  const status = (error as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 429 && status !== 408;
}

/** The server rejects this worker as a whole. Any other refusal is about one call. */
export function isFatal(error: unknown): boolean {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  return status === 401 || status === 403 || code === 'worker/protocol';
}

export async function retrying<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let delay = FIRST_MS; ; delay = Math.min(delay * 2, LONGEST_MS)) {
    try {
      return await call();
    } catch (error) {
      if (isFinal(error) || signal?.aborted) throw error;
    }
    await pause(delay / 2 + (Math.random() * delay) / 2, signal);
  }
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    // A call that nobody waits for must not keep a stopped worker alive.
    timer.unref();
    signal?.addEventListener('abort', end, { once: true });
  });
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
