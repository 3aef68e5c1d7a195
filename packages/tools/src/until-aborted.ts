/** Rejects when the signal aborts, though the body may hang; what that does later is nobody's concern. */
export function untilAborted<T>(signal: AbortSignal, body: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    body.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
