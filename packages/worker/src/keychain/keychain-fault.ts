/** Why a keychain entry has no value, and what to do about it. Never contains a value. */
import type { KeychainEntry } from '@woof/net';

export class KeychainFault extends Error {
  constructor(
    entry: Pick<KeychainEntry, 'name' | 'kind'>,
    what: string,
    readonly fix: string,
    /** The service did not answer; it may later. */
    readonly retryable = false,
  ) {
    super(`keychain entry "${entry.name}" (${entry.kind}): ${what}`);
  }
}
