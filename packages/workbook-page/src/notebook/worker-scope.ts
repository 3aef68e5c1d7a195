/** The global scope of a classic worker, which the type definitions for pages lack. */
export interface WorkerScope extends Record<string, unknown> {
  importScripts(...urls: string[]): void;
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: never) => void): void;
  fetch: unknown;
}

export const scope = globalThis as unknown as WorkerScope;
