/** Why an entry of a keychain has no value, and what to do about it. Never says a value. */
import type { KeychainEntry } from '@woof/net';

export class KeychainFault extends Error {
  constructor(
    entry: Pick<KeychainEntry, 'name' | 'kind'>,
    what: string,
    readonly fix: string,
    /** The service did not answer: later it may. */
    readonly retryable = false,
  ) {
    super(`keychain entry "${entry.name}" (${entry.kind}): ${what}`);
  }
}
