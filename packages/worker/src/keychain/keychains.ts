/**
 * The keychains of the executions that this process works for: each is resolved once and forgotten with its execution.
 */
import { type Assignment, usedKeychain } from '@woof/net';
import { Keychain, type KeychainOptions } from './keychain.ts';
import type { SecretSources } from './sources.ts';

export interface KeychainsOptions {
  /** What the jobs of an execution may reach; a server is asked on behalf of the job. */
  sources: (assignment: Pick<Assignment, 'execution_id' | 'job_id' | 'fence'>) => SecretSources;
  onShort?: (name: string) => void;
}

const REMEMBERED = 10_000;

export class Keychains {
  private readonly known = new Map<string, Promise<Keychain>>();

  constructor(private readonly options: KeychainsOptions) {}

  /** Undefined if the plan uses no secrets. Throws a `KeychainFault` that says what is missing. */
  async of(assignment: Assignment, values?: KeychainOptions['values']): Promise<Keychain | undefined> {
    const { plan, execution_id, source, world } = assignment;
    if (usedKeychain(plan).length === 0) return undefined;
    const folder = String(source.folder ?? '.');
    const sources = this.options.sources(assignment);
    const options = { plan, world: { ...world, execution_id }, folder, sources };
    const keychain = await this.resolve({ ...options, ...(values ? { values } : {}) });
    await keychain.freshen();
    return keychain;
  }

  /** How a person sets a secret that a job lacks. */
  howToSet(assignment: Assignment, name: string, fields: readonly string[]): string {
    return this.options.sources(assignment).howToSet(name, fields);
  }

  /** Once per execution; a failure is not remembered. */
  resolve(options: KeychainOptions): Promise<Keychain> {
    const id = options.world.execution_id;
    const known = this.known.get(id);
    if (known) return known;
    const { onShort } = this.options;
    const keychain = Keychain.resolve({ ...options, ...(onShort ? { onShort } : {}) });
    this.known.set(id, keychain);
    keychain.catch(() => this.known.delete(id));
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value!);
    return keychain;
  }

  ended(executionId: string): void {
    this.known.delete(executionId);
  }
}
