/** Where `wb.persist` stores encoded values: the host's broker, or a database of this workbook in the browser. */
import type { Host } from './host-link.ts';
import { WbError } from './wb-error.ts';

export interface ValueStore {
  get(key: string): Promise<unknown>;
  set(key: string, text: string): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  keys(): Promise<string[]>;
}

export function brokerStore({ call }: Host): ValueStore {
  return {
    get: (key) => call('persist.get', key),
    set: (key, text) => call('persist.set', key, text),
    delete: (key) => call('persist.delete', key),
    keys: () => call('persist.keys'),
  };
}

const VALUES = 'values';

/** `workbook` separates the values of one workbook from those of others on the same site. */
export function indexedDbStore(workbook: string): ValueStore {
  let opened: Promise<IDBDatabase> | undefined;
  const attempt = async <T>(
    mode: IDBTransactionMode,
    work: (values: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    opened ??= open(`wb:${workbook}`, () => {
      opened = undefined;
    });
    const transaction = (await opened).transaction(VALUES, mode);
    const request = work(transaction.objectStore(VALUES));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? request.error);
    });
    return request.result;
  };
  const run: typeof attempt = (mode, work) =>
    attempt(mode, work).catch((error) => Promise.reject(toWbError(error)));
  return {
    get: (key) => run('readonly', (values) => values.get(key)),
    set: (key, text) => run('readwrite', (values) => values.put(text, key)),
    delete: (key) => run('readwrite', (values) => values.delete(key)),
    keys: () => run('readonly', (values) => values.getAllKeys()) as Promise<string[]>,
  };
}

function toWbError(error: Error | null): WbError {
  const isFull = error?.name === 'QuotaExceededError';
  return new WbError(
    isFull ? 'full' : 'failed',
    `The browser cannot keep the value: ${error?.message || error?.name}`,
  );
}

function open(name: string, onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(VALUES);
    request.onerror = () => {
      onGone();
      reject(request.error);
    };
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onGone;
      // Another page may want to delete it.
      database.onversionchange = () => {
        database.close();
        onGone();
      };
      resolve(database);
    };
  });
}
