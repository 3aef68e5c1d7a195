/** Waits for another process while a file is being opened: this thread has nothing else to do yet, so it sleeps. */

const PAUSE_MS = 10;
const asleep = new Int32Array(new SharedArrayBuffer(4));

/**
 * True as soon as the condition holds, false if it does not hold in time. While the file is locked, it does not hold
 * yet.
 */
export function waitUntil(holds: () => boolean, waitMs: number): boolean {
  for (const end = Date.now() + waitMs; ; ) {
    const isLate = Date.now() >= end;
    try {
      if (holds()) return true;
      if (isLate) return false;
    } catch (error) {
      if (isLate || !isLocked(error)) throw error;
    }
    Atomics.wait(asleep, 0, 0, PAUSE_MS);
  }
}

export function retryLocked(work: () => void, waitMs: number): void {
  const done = () => {
    work();
    return true;
  };
  waitUntil(done, waitMs);
}

function isLocked(error: unknown): boolean {
  return /database (table |schema )?is locked/i.test((error as Error).message);
}
