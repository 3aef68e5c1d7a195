/** The global scope of a classic worker, which the types of pages do not know. */
export interface WorkerScope extends Record<string, unknown> {
  importScripts(...urls: string[]): void;
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: never) => void): void;
  fetch: unknown;
}

export const scope = globalThis as unknown as WorkerScope;
