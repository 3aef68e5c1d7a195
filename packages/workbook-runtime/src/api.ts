/** Everything that a workbook's code sees of the runtime, in one page. Types only: this file is also `wb.d.ts`. */

/** Where the workbook runs: inside a host, as a page of a web server, or from a file. */
export type Setting = 'host' | 'page' | 'file';

export type Ability = { ok: true; how: string } | { ok: false; why: string };

/** What works here and, if something does not, why. Both are texts to show to a person. */
export interface Can {
  setting: Setting;
  /** Values are still there when the workbook is opened again. */
  persist: Ability;
  /** A host passed values for `wb.env`. */
  env: Ability;
  clipboard: Ability;
  /** `wb.share.link()` */
  link: Ability;
  /** `wb.share.save()` */
  save: Ability;
}

export interface Readable<T> {
  readonly name: string;
  /** Returns the value. Inside `derived` and `effect` it also subscribes them to changes. */
  get(): T;
  /** Returns the value without subscribing to changes. */
  peek(): T;
  /** Calls the listener after each change or batch. Returns a function that stops this. */
  subscribe(listener: (value: T, before: T) => void): () => void;
}

export interface State<T> extends Readable<T> {
  set(value: T): void;
  update(change: (value: T) => T): void;
}

export interface Comparing<T> {
  /** Which values count as unchanged. Default: `Object.is`. */
  equals?: (a: T, b: T) => boolean;
}

export interface StateOptions<T> extends Comparing<T> {
  /** Whether a value from a link, a copy or storage is acceptable. Default: values of the same kind as the first. */
  check?: (value: unknown) => boolean;
  /** If true, the state is never included in links, copies and snapshots. */
  private?: boolean;
}

export interface States {
  /** Returns the state of this name. A second call returns the same state. */
  <T>(name: string, initial: T, options?: StateOptions<T>): State<T>;
  derived<T>(name: string, compute: () => T, options?: Comparing<T>): Readable<T>;
  /** Calls `run` now, and again when anything that it read has changed. Returns a function that stops it. */
  effect(run: () => void): () => void;
  /** Makes several changes and notifies listeners once, at the end. */
  batch<T>(change: () => T): T;
  /** Returns all states except private ones, as text. Throws if one contains a secret of `wb.env`. */
  snapshot(): string;
  /** Applies the values of a snapshot to existing states, and to states that are created later. */
  restore(snapshot: string): void;
}

export interface Persist {
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** Returns whether the value was kept. If nothing can be kept, returns false and shows a hint on the page. */
  set(key: string, value: unknown): Promise<boolean>;
  delete(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** Sets states to the values kept before, then keeps each change. Resolves when the values are set. */
  bind(...states: State<unknown>[]): Promise<void>;
  /** Resolves when all changes of bound states so far are written. */
  flush(): Promise<void>;
}

export interface Env {
  /** Call it after `await wb.ready`. */
  get(name: string): string | undefined;
  names(): string[];
}

export interface Share {
  /** Returns an address that opens with the current state. */
  link(): Promise<string>;
  /** Returns the text of a copy of this file that opens with the current state. */
  copy(): Promise<string>;
  /** Saves the copy as a file for the person. */
  save(name?: string): Promise<void>;
}

export interface Clipboard {
  read(): Promise<string>;
  write(text: string): Promise<void>;
}

/** `code` says which kind of error it is; `message` says what happened, where, and what to do. */
export interface WbError extends Error {
  code: WbErrorCode;
}

export type WbErrorCode =
  | 'unavailable'
  | 'not-ready'
  | 'unsupported'
  | 'too-large'
  | 'secret'
  | 'damaged'
  | 'misuse'
  | 'denied'
  | 'full'
  | 'invalid'
  | 'failed';

export interface Wb {
  /** The version of the runtime (semantic versioning). */
  readonly version: string;
  /** `data-version` of the source bundle in this file, if it has one. */
  readonly envelope: number | undefined;
  /** Resolves when the setting is known, which is immediately outside of frames. */
  readonly ready: Promise<Can>;
  readonly can: Can;
  readonly state: States;
  readonly persist: Persist;
  readonly env: Env;
  readonly share: Share;
  readonly clipboard: Clipboard;
}
