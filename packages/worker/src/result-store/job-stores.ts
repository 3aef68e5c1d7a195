/**
 * The external stores of one job: the one that its current task puts results into, and those that its plan names, which
 * are used to read references.
 *
 * The server or the data directory has a copy of values that are small enough for decisions: guards and loops read
 * that. Tasks read the store itself.
 */
import {
  type Assignment,
  encodeJson,
  failure,
  hintOf,
  isElsewhere,
  isObject,
  isReference,
  type JobPort,
  type Json,
  type JsonObject,
  type Outcome,
  type Plan,
  plainNumber,
  type Reference,
  storedError,
  type Task,
} from '@woof/net';
import { BlobError, type BlobStore, INLINE_MAX_BYTES, once, Values } from '@woof/stores';
import { type Blobs, definitionsOf, FieldFault, isInFolder, type Parked, storeDefinition } from '@woof/tools';
import { type ResultStore, StoreRefusal } from './result-store.ts';
import type { ResultStores } from './result-stores.ts';

export interface JobStoresOptions {
  stores: ResultStores;
  plan: Plan;
  workdir: string;
  /** What the person at the terminal granted. */
  granted: JsonObject;
  /** The largest value that may be read. */
  valueBytes?: number | undefined;
  /** Evaluates the templates of a definition, with the keychain visible. */
  render: (definition: JsonObject) => Promise<JsonObject>;
}

export class JobStores {
  /** Where the result of the current task is stored, if it is in one of these stores. */
  keptAt: Reference | undefined;
  private readonly named = new Map<string, ResultStore>();
  private readonly values: Values;
  /** By key: why a value could not be loaded. */
  private readonly faults = new Map<string, unknown>();
  /** Stores that the plan does not name, such as those of nested playbooks. A local copy of their values may exist. */
  private readonly foreign = new Set<string>();
  private present: { store: ResultStore; inlineMaxBytes: number } | undefined;

  constructor(private readonly options: JobStoresOptions) {
    this.values = new Values(this.routed(), { valueBytes: options.valueBytes });
  }

  /** Call this when the job is over: its stores may then be closed. */
  release(): void {
    this.options.stores.release(this);
  }

  /** Call this before a task begins. Returns the store for its results, if that is an external one. */
  async choose(spec: JsonObject): Promise<ResultStore | undefined> {
    this.present = undefined;
    const definition = storeDefinition(spec);
    if (definition === undefined) return undefined;
    if (isInFolder(definition)) this.checkFiles(spec);
    const store = await this.options.stores.of(definition, this.options.workdir, this);
    this.named.set(store.name, store);
    this.present = { store, inlineMaxBytes: inlineLimit(spec) };
    return store;
  }

  /**
   * Puts a large result where the task wants it, before the outcome is judged: a failure to store it is an outcome too,
   * which is returned.
   */
  async keep(task: Task, outcome: Outcome | Parked): Promise<Outcome | undefined> {
    this.keptAt = undefined;
    if (outcome.status !== 'ok') return undefined;
    try {
      this.keptAt = await this.stored(outcome.result);
      return undefined;
    } catch (error) {
      const { error: why } = storedFailure(error) ?? failure('storage', (error as Error).message);
      const message = `the result of task "${task.label}" cannot be stored: ${why!.message}`;
      return { status: 'error', error: { ...why!, message } };
    }
  }

  private async stored(result: Json | undefined): Promise<Reference | undefined> {
    if (this.present === undefined || result === undefined || isReference(result)) return undefined;
    const bytes = Buffer.from(encodeJson(result));
    if (bytes.length <= this.present.inlineMaxBytes) return undefined;
    const limits = { hint: hintOf(result), maxBytes: Number.POSITIVE_INFINITY };
    return this.present.store.put(once(bytes), limits);
  }

  /** For tools: what they store goes where the task wants it, and they can read whatever the plan can read. */
  blobs(store: ResultStore | undefined, own: Blobs): Blobs {
    return {
      put: (bytes, options) => (store ?? own).put(bytes, options),
      get: (reference) => this.bytesOf(reference, own),
    };
  }

  /** Undefined: the value is not in one of these stores. */
  load(value: Reference): Json | undefined {
    if (!isElsewhere(value) || this.foreign.has(value.store)) return undefined;
    const fault = this.faults.get(value.key);
    // Reported once: the next attempt looks again.
    if (this.faults.delete(value.key)) throw fault;
    return this.values.resolve(value);
  }

  get hasMissing(): boolean {
    return this.values.hasMissing;
  }

  /** A failure to load is reported where the value is read, because only there is the line known. */
  async bring(): Promise<void> {
    for (const reference of this.values.takeMissing())
      await this.values.bring([reference]).catch((error: unknown) => this.faults.set(reference.key, error));
  }

  private checkFiles(spec: JsonObject): void {
    const own = isObject(spec.io_policy) ? spec.io_policy : {};
    if (own.allow_files === true || this.options.granted.allow_files === true) return;
    const message =
      'the task may not store results in files: set spec.io_policy.allow_files: true, or run with --allow files';
    throw new StoreRefusal(failure('policy', message));
  }

  private async *bytesOf(reference: Reference, own: Blobs): AsyncIterable<Uint8Array> {
    const store = isElsewhere(reference) ? await this.find(reference) : undefined;
    yield* (store ?? own).get(reference);
  }

  private routed(): BlobStore {
    return {
      getText: (reference) => {
        const store = this.named.get(reference.store);
        if (store) return store.getText(reference);
        throw new BlobError('not_at_hand', `the stored value ${reference.key} is in ${reference.store}`);
      },
      bring: async (reference) => {
        const store = await this.find(reference);
        if (store) await store.bring(reference);
        else this.foreign.add(reference.store);
      },
    } as BlobStore;
  }

  /** Among the stores that the plan names, the one that the reference means. */
  private async find({ store: name }: Reference): Promise<ResultStore | undefined> {
    const known = this.named.get(name);
    if (known) return known;
    for (const definition of definitionsOf(this.options.plan)) {
      // A store that cannot be opened here, for example because its location depends on a step, is not the one.
      const store = await this.opened(definition).catch(() => undefined);
      if (store) this.named.set(store.name, store);
    }
    return this.named.get(name);
  }

  private async opened(definition: JsonObject): Promise<ResultStore> {
    return this.options.stores.of(await this.options.render(definition), this.options.workdir, this);
  }
}

/** Undefined: the plan names no stores of its own, or this worker opens none. */
export function storesOf(
  { plan, source, granted }: Assignment,
  { resultStores: stores, valueBytes }: { resultStores?: ResultStores; valueBytes?: number },
  job: { unlocked(definition: JsonObject): Promise<JsonObject> },
): JobStores | undefined {
  if (stores === undefined || definitionsOf(plan).length === 0) return undefined;
  const workdir = String(source.folder ?? '.');
  const render = (definition: JsonObject) => job.unlocked(definition);
  return new JobStores({ stores, plan, workdir, granted, valueBytes, render });
}

/** The port of a job whose templates can also read the stores of its plan. */
export function withStores(port: JobPort, stores: JobStores): JobPort {
  const load = (reference: Reference) => stores.load(reference) ?? port.host.load?.(reference);
  return {
    host: { ...port.host, load },
    lacks: () => port.lacks() || stores.hasMissing,
    bring: async () => {
      if (stores.hasMissing) await stores.bring();
      if (port.lacks()) await port.bring();
    },
    offload: (value, inlineMaxBytes) => port.offload(value, inlineMaxBytes),
    offloadAll: (values) => port.offloadAll(values),
    atHand: (reference) => port.atHand(reference),
    started: (assignment, report) => port.started(assignment, report),
    report: (assignment, reports) => port.report(assignment, reports),
    took: (assignment, ms) => port.took?.(assignment, ms),
    durable: (assignment) => port.durable(assignment),
    child: (assignment, request) => port.child(assignment, request),
    cancelChild: (executionId, reason) => port.cancelChild(executionId, reason),
  };
}

function inlineLimit(spec: JsonObject): number {
  const limit = (spec.result as JsonObject | undefined)?.inline_max_bytes;
  return plainNumber(limit) ?? INLINE_MAX_BYTES;
}

/** The outcome of a task whose stored value cannot be read or written; undefined for any other error. */
export function storedFailure(error: unknown): Outcome | undefined {
  if (error instanceof StoreRefusal) return error.outcome;
  if (error instanceof FieldFault) return failure('schema', `spec.result.store: ${error.message}`);
  const stored = storedError(error);
  return stored && { status: 'error', error: stored };
}
