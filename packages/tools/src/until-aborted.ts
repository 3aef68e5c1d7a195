/** Rejects when the signal aborts, even if the body hangs. The later outcome of the body is ignored. */
export function untilAborted<T>(signal: AbortSignal, body: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    body.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
