/** A secret from Vault's key-value store, version 1 or 2, or from a compatible service. */
import { encodeJson, isObject, type Json, type KeychainEntry } from '@woof/net';
import { askService, refusedBy } from './ask-service.ts';
import { KeychainFault } from './keychain-fault.ts';
import type { SecretSources } from './sources.ts';

export async function readVault(
  entry: KeychainEntry,
  found: Record<string, string> | undefined,
  { machine }: SecretSources,
): Promise<Record<string, string>> {
  // The token of the environment is for the address of the environment: a document must not send it elsewhere.
  const own = entry.url === undefined ? machine?.env : undefined;
  const url = entry.url ?? own?.VAULT_ADDR;
  const token = entry.token ?? found?.token ?? found?.value ?? own?.VAULT_TOKEN;
  if (typeof url !== 'string')
    throw new KeychainFault(entry, 'it has no `url`', 'add one, or export VAULT_ADDR');
  if (typeof token !== 'string' || token === '')
    throw new KeychainFault(entry, 'it has no token', 'add `token` or `secret`, or export VAULT_TOKEN');
  const path = String(entry.path).replaceAll(/^\/+|\/+$/g, '');
  const answer = await askService(entry, `${url.replace(/\/+$/, '')}/v1/${path}`, {
    headers: {
      'x-vault-token': token,
      ...(typeof entry.namespace === 'string' ? { 'x-vault-namespace': entry.namespace } : {}),
    },
  });
  if (answer.status !== 200) throw refusedBy(entry, url, answer);
  const { data } = answer.body;
  const fields = isObject(data) && isObject(data.data) ? data.data : data;
  if (!isObject(fields))
    throw new KeychainFault(entry, 'the response has no `data`', `check the path ${path}`);
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, textOf(value)]));
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : encodeJson(value);
}
