/**
 * States and derived values by name. Values from elsewhere (a link, a copy, a snapshot) wait here for the state of
 * their name, and are accepted only if they pass its check: a link may come from anyone.
 */
import type { Comparing, Readable, State, StateOptions, States } from './api.ts';
import { decode, encode, type Guard } from './codec.ts';
import * as reactive from './reactive.ts';
import { WbError } from './wb-error.ts';

interface Entry {
  readable: Readable<unknown>;
  options: StateOptions<unknown>;
  /** Absent for derived values. */
  state?: State<unknown>;
  initial?: unknown;
}

/** The file itself, the link it was opened with, or a call of the workbook's code. */
type Origin = 'file' | 'link' | 'code';

export interface NamedStates {
  api: States;
  /** Inside an effect it also subscribes to the creation of the entry. */
  find(name: string): Entry | undefined;
  /** Values from elsewhere, for states that exist now or later. */
  offer(values: ReadonlyMap<string, unknown>, from: Origin): void;
  /** Whether this value was requested explicitly: it takes precedence over a kept one. */
  wasAsked(name: string): boolean;
  /** Whether values are being applied: such a change is not the user's and need not be kept. */
  isOffering(): boolean;
  accepts(name: string, value: unknown): boolean;
}

export function makeStates(guard: Guard): NamedStates {
  const entries = new Map<string, Entry>();
  const count = reactive.cell(0);
  const offered = new Map<string, { value: unknown; from: Origin }>();
  const wanted = new Set<string>();
  let offering = false;

  function add<T extends Entry>(name: string, entry: T): T {
    entries.set(name, entry);
    count.set(entries.size);
    return entry;
  }

  function state<T>(name: string, initial: T, options: StateOptions<T> = {}): State<T> {
    const known = entries.get(name);
    if (known && !known.state)
      throw new WbError('misuse', `"${name}" is a derived value and cannot be a state.`);
    if (known) {
      // An element may have created it before the code that knows more.
      Object.assign(known.options, options);
      return known.state as unknown as State<T>;
    }
    const made = makeState(name, initial, options);
    const loose = made as unknown as State<unknown>;
    add(name, { readable: loose, state: loose, initial, options: { ...options } as StateOptions<unknown> });
    take(name);
    return made;
  }

  function derived<T>(name: string, compute: () => T, options: Comparing<T> = {}): Readable<T> {
    if (entries.has(name))
      throw new WbError('misuse', `A state or derived value named "${name}" already exists.`);
    const made = toReadable(name, reactive.derived(compute, options.equals));
    add(name, { readable: made, options: {} });
    return made;
  }

  function accepts(name: string, value: unknown): boolean {
    const { options, initial } = entries.get(name)!;
    try {
      return options.check
        ? options.check(value) === true
        : initial == null || kindOf(value) === kindOf(initial);
    } catch {
      return false;
    }
  }

  /** Applies the value offered under this name, if there is a state that accepts it. */
  function take(name: string): void {
    const known = entries.get(name)?.state;
    const { value, from } = offered.get(name) ?? {};
    if (!known || !from || !accepts(name, value)) return;
    if (from !== 'file') wanted.add(name);
    known.set(value);
  }

  function offer(values: ReadonlyMap<string, unknown>, from: Origin): void {
    offering = from !== 'code';
    reactive.batch(() => {
      for (const [name, value] of values) {
        offered.set(name, { value, from });
        take(name);
      }
    });
    offering = false;
  }

  function snapshot(): string {
    const open = [...entries].filter(([, { state, options }]) => state && !options.private);
    return encode(new Map(open.map(([name, { state }]) => [name, state!.peek()])), 'state', guard);
  }

  const { effect, batch } = reactive;
  const restore = (text: string) => offer(readSnapshot(text), 'code');
  return {
    api: Object.assign(state, { derived, effect, batch, snapshot, restore }),
    find(name) {
      count.get();
      return entries.get(name);
    },
    offer,
    wasAsked: (name) => wanted.has(name),
    isOffering: () => offering,
    accepts,
  };
}

export function readSnapshot(text: string): Map<string, unknown> {
  const values = decode(text);
  if (!(values instanceof Map)) throw new WbError('damaged', 'This is not a snapshot of states.');
  return values;
}

function makeState<T>(name: string, initial: T, { equals }: StateOptions<T>): State<T> {
  const { get, peek, set } = reactive.cell(initial, equals);
  return { ...toReadable(name, { get, peek }), set, update: (change) => set(change(peek())) };
}

function toReadable<T>(name: string, { get, peek }: { get(): T; peek(): T }): Readable<T> {
  return { name, get, peek, subscribe: (listener) => reactive.subscribe(get, listener) };
}

const kindOf = (value: unknown) => Object.prototype.toString.call(value);
