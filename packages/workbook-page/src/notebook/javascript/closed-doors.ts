/**
 * Removes from a worker what no cell declares: connections, storage, further workers. The page's policy forbids the
 * connections in any case; this way cells fail with a clear message, and nothing is stored on the reader's machine.
 */
const GONE = [
  ...['XMLHttpRequest', 'WebSocket', 'WebSocketStream', 'WebTransport', 'EventSource', 'indexedDB', 'caches'],
  ...['BroadcastChannel', 'Worker', 'SharedWorker', 'importScripts', 'navigator', 'Notification'],
];

class PolicyError extends Error {
  override name = 'PolicyError';
}

const refuse = () => {
  throw new PolicyError('network access is not allowed in this page');
};

export function closeDoors(scope: object): void {
  for (
    let at: object | null = scope;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    for (const name of GONE) if (Object.hasOwn(at, name)) Reflect.deleteProperty(at, name);
  }
  for (const name of GONE)
    if (name in scope) Object.defineProperty(scope, name, { value: undefined, configurable: false });
  Object.defineProperty(scope, 'fetch', { value: refuse, writable: true, configurable: true });
}
