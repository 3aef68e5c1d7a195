/** What a template produces is data from anywhere: it must not choose which secret is used. */
import { isTemplate } from '@woof/expr';
import { isObject, type Json, type JsonObject, type KeychainEntry } from '@woof/net';
import { KeychainFault } from './keychain-fault.ts';

/** Throws if a template set `auth` or `credential` to the name of an entry, at any depth. */
export function refuseNamedByData(
  entries: readonly KeychainEntry[],
  input: JsonObject,
  written: JsonObject,
): void {
  for (const [key, value] of Object.entries(input)) {
    const own: Json | undefined = written[key];
    if (isObject(value) && isObject(own)) refuseNamedByData(entries, value, own);
    if (key !== 'auth' && key !== 'credential') continue;
    if (typeof own !== 'string' || !isTemplate(own)) continue;
    const entry = entries.find(({ name }) => name === value);
    if (entry) throw namedByData(entry, key);
  }
}

function namedByData(entry: KeychainEntry, key: string): KeychainFault {
  const { name } = entry;
  return new KeychainFault(
    entry,
    `the name in \`${key}\` comes from a template, and data must not choose secrets`,
    `write \`${key}: ${name}\`, or, if you mean it, \`${key}: "{{ keychain[…] }}"\``,
  );
}
