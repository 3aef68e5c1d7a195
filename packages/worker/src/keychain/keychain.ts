/**
 * The secrets of one execution. They exist only in the memory of the process that performs its tasks.
 *
 * Owns: values, when they are fetched again, and which of them must be hidden. Does not own: how a kind is resolved
 * (resolve-entry.ts), how something is hidden (redactor.ts).
 */
import { isTemplate } from '@woof/expr';
import {
  entriesRead,
  fieldsUsed,
  isObject,
  type JobPort,
  type Json,
  type JsonObject,
  type KeychainEntry,
  type Plan,
  RenderError,
  renderObject,
  type Site,
  StepScope,
  usedKeychain,
  type World,
} from '@woof/net';
import { decodeUri, POSTGRES_NAMES } from '@woof/tools';
import { withValues } from '../with-values.ts';
import { SHORTEST_HIDDEN } from './encoded-forms.ts';
import { entryValue, oneValueOf } from './entry-value.ts';
import { KeychainFault } from './keychain-fault.ts';
import { refuseNamedByData } from './named-by-data.ts';
import { Redactor } from './redactor.ts';
import { type Resolved, resolveEntry } from './resolve-entry.ts';
import type { SecretSources } from './sources.ts';

/** Fields that are not secret: hiding a host or a user would damage results that have nothing to hide. */
const OPEN: ReadonlySet<string> = new Set([
  ...POSTGRES_NAMES,
  ...'type schema sslmode region scope token_type client_id'.split(' '),
]);

export interface KeychainOptions {
  plan: Plan;
  world: Pick<World, 'workload' | 'execution_id'>;
  /** The folder of the document. */
  folder: string;
  sources: SecretSources;
  /** Loads values of the workload that are stored elsewhere. Absent: there are none. */
  values?: Pick<JobPort, 'bring' | 'host' | 'lacks'>;
  /** Called with the names of values that are too short to be hidden. */
  onShort?: (name: string) => void;
}

export class Keychain {
  readonly redactor = new Redactor();
  /** As templates read it: `keychain.name.field`. */
  values: JsonObject = {};
  private readonly resolved = new Map<string, Resolved>();
  private renewing: Promise<void> | undefined;

  private constructor(private readonly options: KeychainOptions) {}

  static async resolve(options: KeychainOptions): Promise<Keychain> {
    const keychain = new Keychain(options);
    for (const entry of usedKeychain(options.plan)) await keychain.take(entry);
    return keychain;
  }

  /** Fetches values that are about to expire. */
  async freshen(): Promise<void> {
    while (this.renewing) await this.renewing;
    const now = this.options.sources.now();
    await this.takeAgain(({ until }) => until !== undefined && until <= now);
  }

  /**
   * A service rejected the credentials: fetches its tokens again, unless another task did so since they were `seen`.
   * False: there is no token to fetch.
   */
  async renew(names: ReadonlySet<string>, seen: JsonObject): Promise<boolean> {
    while (this.renewing) await this.renewing;
    const isMeant = (name: string) => names.has(name) || names.has('*');
    const isToken = ({ renewable }: Resolved, name: string) => renewable === true && isMeant(name);
    await this.takeAgain((each, name) => isToken(each, name) && this.values[name] === seen[name]);
    return [...this.resolved].some(([name, each]) => isToken(each, name));
  }

  /**
   * Replaces a bare name in `auth` or `credential` with the entry that it means, if the document itself contains that
   * field. What a template produced is data from anywhere, and a name in it has no meaning.
   */
  withCredentials(input: JsonObject, written: JsonObject): JsonObject {
    refuseNamedByData(this.options.plan.keychain, input, written);
    return this.withEntries(input, written);
  }

  private withEntries(input: JsonObject, written: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(input).map(([key, value]) => [key, this.credential(key, value, written[key])] as const),
    );
  }

  private credential(key: string, value: Json, written: Json | undefined): Json {
    if (typeof value === 'string' && value === written && (key === 'auth' || key === 'credential'))
      return Object.hasOwn(this.values, value) ? this.values[value]! : value;
    if (typeof value === 'string' && typeof written === 'string' && (key === 'auth' || key === 'credential'))
      return this.entryOf(value, written) ?? value;
    return isObject(value) && isObject(written) ? this.withEntries(value, written) : value;
  }

  /** The entry whose only value a template produced: its fields say what kind of credential it is. */
  private entryOf(value: string, written: string): Json | undefined {
    if (!isTemplate(written) || entriesRead(written).length === 0) return undefined;
    return Object.values(this.values).find((entry) => oneValueOf(entry) === value);
  }

  private async takeAgain(wants: (resolved: Resolved, name: string) => boolean): Promise<void> {
    const due = usedKeychain(this.options.plan).filter(({ name }) => {
      const known = this.resolved.get(name);
      return known !== undefined && wants(known, name);
    });
    if (due.length === 0) return;
    this.renewing = (async () => {
      for (const entry of due) await this.take(entry);
    })().finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
  }

  private async take(entry: KeychainEntry): Promise<void> {
    const { folder, sources, onShort } = this.options;
    const resolved = await resolveEntry(await this.rendered(entry), folder, {
      ...sources,
      howToSet: (name, usual) =>
        sources.howToSet(name, usual.length > 0 ? usual : fieldsUsed(this.options.plan, entry.name)),
    });
    this.resolved.set(entry.name, resolved);
    // Replaced, never mutated: a template may hold it as a value.
    this.values = { ...this.values, [entry.name]: entryValue(entry.name, resolved.fields) };
    for (const [field, value] of Object.entries(resolved.fields)) {
      if (OPEN.has(field) || value === '') continue;
      const name = `${entry.name}.${field}`;
      if (value.length < SHORTEST_HIDDEN) onShort?.(name);
      else this.redactor.add(name, value);
      const within = /^[a-z][\w+.-]*:\/\/[^/@\s]*:([^/@\s]+)@/i.exec(value)?.[1];
      for (const password of within === undefined ? [] : [within, decodeUri(within)])
        this.redactor.add(name, password);
    }
  }

  private async rendered(entry: KeychainEntry): Promise<KeychainEntry> {
    const { plan, world, sources, values } = this.options;
    const scope = new StepScope(
      { ...world, ctx: {}, steps: { get: () => undefined }, labels: {}, keychain: this.values },
      { args: {} },
    );
    const site: Site = {
      plan,
      scope,
      host: { random: Math.random, ...values?.host, now: sources.now },
      path: `keychain/${entry.name}`,
    };
    try {
      const render = () => renderObject(entry, site);
      const fields = values ? await withValues(values, render) : render();
      return { ...fields, name: entry.name, kind: entry.kind };
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      throw new KeychainFault(entry, this.redactor.text(error.message), 'fix the template');
    }
  }
}
