/** All that a workbook's code sees of the runtime, in one page. Types only: this file is also `wb.d.ts`. */

/** Where the workbook runs: inside a host, as a page of a web server, or from a file. */
export type Setting = 'host' | 'page' | 'file';

export type Ability = { ok: true; how: string } | { ok: false; why: string };

/** What works here, and where it does not, why: words to show to a person. */
export interface Can {
  setting: Setting;
  /** Values are still there when the workbook is opened again. */
  persist: Ability;
  /** A host gave values for `wb.env`. */
  env: Ability;
  clipboard: Ability;
  /** `wb.share.link()` */
  link: Ability;
  /** `wb.share.save()` */
  save: Ability;
}

export interface Readable<T> {
  readonly name: string;
  /** The value; inside `derived` and `effect` also: run again when it changes. */
  get(): T;
  /** The value, without being run again. */
  peek(): T;
  /** Calls back at each change, after the batch. Gives the way to stop it. */
  subscribe(listener: (value: T, before: T) => void): () => void;
}

export interface State<T> extends Readable<T> {
  set(value: T): void;
  update(change: (value: T) => T): void;
}

export interface Comparing<T> {
  /** Which values count as unchanged; `Object.is` if not given. */
  equals?: (a: T, b: T) => boolean;
}

export interface StateOptions<T> extends Comparing<T> {
  /** Whether a value from a link, a copy or storage will do. Without it, one of the same kind as the first value. */
  check?: (value: unknown) => boolean;
  /** Never in links, copies and snapshots. */
  private?: boolean;
}

export interface States {
  /** The state of this name; a second call gives the same one. */
  <T>(name: string, initial: T, options?: StateOptions<T>): State<T>;
  derived<T>(name: string, compute: () => T, options?: Comparing<T>): Readable<T>;
  /** Runs now, and again when anything that it read has changed. Gives the way to stop it. */
  effect(run: () => void): () => void;
  /** Changes inside are told once, at the end. */
  batch<T>(change: () => T): T;
  /** All states as text, but private ones. Refused if a secret of `wb.env` is among them. */
  snapshot(): string;
  /** Takes a snapshot's values for the states that are there, now or later. */
  restore(snapshot: string): void;
}

export interface Persist {
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** Whether it was kept: false, and a hint on the page, where nothing can be. */
  set(key: string, value: unknown): Promise<boolean>;
  delete(key: string): Promise<void>;
  keys(): Promise<string[]>;
  /** Gives states the values kept before, then keeps each change. Done when the values are there. */
  bind(...states: State<unknown>[]): Promise<void>;
  /** Done when all changes of bound states so far are written. */
  flush(): Promise<void>;
}

export interface Env {
  /** After `await wb.ready`. */
  get(name: string): string | undefined;
  names(): string[];
}

export interface Share {
  /** An address that opens with the present state. */
  link(): Promise<string>;
  /** The text of a copy of this file that opens with the present state. */
  copy(): Promise<string>;
  /** Gives the copy to the person as a file. */
  save(name?: string): Promise<void>;
}

export interface Clipboard {
  read(): Promise<string>;
  write(text: string): Promise<void>;
}

/** `code` says what kind; `message` what, where, and what to do. */
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
  /** Of the runtime (semantic versioning). */
  readonly version: string;
  /** `data-version` of the source bundle in this file, if it has one. */
  readonly envelope: number | undefined;
  /** Done when the setting is known: at once outside of frames. */
  readonly ready: Promise<Can>;
  readonly can: Can;
  readonly state: States;
  readonly persist: Persist;
  readonly env: Env;
  readonly share: Share;
  readonly clipboard: Clipboard;
}
