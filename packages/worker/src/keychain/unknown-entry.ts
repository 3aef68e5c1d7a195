/** A word in `auth` that is the name of no entry reaches the tool as it is; where the tool refuses it, the error says why. */
import { isTemplate } from '@woof/expr';
import type { Json, JsonObject, KeychainEntry, Outcome } from '@woof/net';
import type { Parked } from '@woof/tools';

/** What is longer may be the secret itself. */
const LIKE_A_NAME = /^[\w.-]{1,32}$/;

export function tellUnknownEntry(
  outcome: Outcome | Parked,
  entries: readonly KeychainEntry[],
  written: JsonObject,
): Outcome | Parked {
  if (outcome.status !== 'error' || outcome.error?.kind !== 'schema') return outcome;
  const { error } = outcome;
  const names = entries.map(({ name }) => name);
  const isUnknown = (value: Json | undefined): value is string =>
    typeof value === 'string' && LIKE_A_NAME.test(value) && !isTemplate(value) && !names.includes(value);
  const name = [written.auth, written.credential].find(isUnknown);
  if (name === undefined || !/"(auth|credential)"/.test(error.message)) return outcome;
  const known = names.length > 0 ? `its entries are ${names.join(', ')}` : 'it has no entries';
  return {
    ...outcome,
    error: {
      ...error,
      message: `${error.message}; the keychain of the document has no entry "${name}": ${known}`,
    },
  };
}
