/** The value of one entry, by its kind. Its fields arrive rendered. */
import { type KeychainEntry, keychainKind, storedName } from '@woof/net';
import { KeychainFault } from './keychain-fault.ts';
import { fetchToken } from './oauth2.ts';
import { readSecretFile } from './secret-file.ts';
import type { SecretSources } from './sources.ts';
import { readVault } from './vault.ts';

export interface Resolved {
  fields: Record<string, string>;
  /** After this time (ms) it must be fetched again. */
  until?: number;
  /** If a service refuses the value, fetching it again may return another. */
  renewable?: true;
}

export async function resolveEntry(
  entry: KeychainEntry,
  folder: string,
  sources: SecretSources,
): Promise<Resolved> {
  const kind = keychainKind(entry);
  switch (kind) {
    case 'environment':
      return {
        fields: sources.machine ? fromEnvironment(entry, sources.machine.env) : await stored(entry, sources),
      };
    case 'file':
      return {
        fields: sources.machine
          ? readSecretFile(entry, [folder, ...sources.machine.folders], sources.machine.hidden)
          : await stored(entry, sources),
      };
    case 'vault':
      return { fields: await readVault(entry, await storedOrNone(entry, sources), sources) };
    case 'oauth2':
      return fetchToken(entry, await storedOrNone(entry, sources), sources);
    case 'bearer':
      return { fields: await bearer(entry, sources) };
    case 'basic':
      return { fields: await basic(entry, sources) };
    case 'secret':
      return { fields: await stored(entry, sources) };
    default:
      throw new KeychainFault(entry, 'its kind is unknown', 'run woof lint to see the known kinds');
  }
}

/** The usual fields of a secret of that kind, for the hint on how to set it. */
const USUAL: Record<string, readonly string[]> = {
  bearer: ['token'],
  basic: ['username', 'password'],
  postgres_credential: ['host', 'database', 'user', 'password'],
};

/** Woof's own variables, which documents may not read. */
const OWN = new Set(['WOOF_SECRET_KEY', 'WOOF_TOKEN']);

function fromEnvironment(
  entry: KeychainEntry,
  env: Record<string, string | undefined>,
): Record<string, string> {
  const named = typeof entry.variables === 'object' && entry.variables !== null ? entry.variables : undefined;
  const single = entry.variable ?? entry.name.toUpperCase().replaceAll(/\W/g, '_');
  const variables = Object.entries(named ?? { value: single });
  return Object.fromEntries(
    variables.map(([field, variable]) => {
      const name = String(variable);
      const value = OWN.has(name) ? undefined : env[name];
      if (value === undefined || value === '')
        throw new KeychainFault(
          entry,
          `the environment variable ${name} is not set`,
          `export ${name} and run it again`,
        );
      return [field, value];
    }),
  );
}

async function stored(entry: KeychainEntry, sources: SecretSources): Promise<Record<string, string>> {
  const found = await storedOrNone(entry, sources);
  if (found) return found;
  const name = nameOf(entry, sources);
  throw new KeychainFault(
    entry,
    `there is no secret "${name}"`,
    sources.howToSet(name, USUAL[entry.kind] ?? []),
  );
}

async function storedOrNone(
  entry: KeychainEntry,
  sources: SecretSources,
): Promise<Record<string, string> | undefined> {
  const name = storedName(entry, sources.machine ? 'here' : 'server');
  return name === undefined ? undefined : sources.stored(name);
}

function nameOf(entry: KeychainEntry, sources: SecretSources): string {
  return storedName(entry, sources.machine ? 'here' : 'server') ?? entry.name;
}

/** The field `type` lets `auth: <entry>` say what it is. */
async function bearer(entry: KeychainEntry, sources: SecretSources): Promise<Record<string, string>> {
  if (typeof entry.token === 'string') return { type: 'bearer', token: entry.token };
  const found = await stored(entry, sources);
  return { ...found, type: 'bearer', token: need(entry, found, sources, 'token', 'value') };
}

async function basic(entry: KeychainEntry, sources: SecretSources): Promise<Record<string, string>> {
  const found = entry.password === undefined ? await stored(entry, sources) : {};
  const given = Object.fromEntries(
    ['username', 'password']
      .filter((key) => typeof entry[key] === 'string')
      .map((key) => [key, String(entry[key])]),
  );
  const all = { ...found, ...given };
  const username = need(entry, all, sources, 'username', 'user');
  return { ...all, type: 'basic', username, password: need(entry, all, sources, 'password') };
}

function need(
  entry: KeychainEntry,
  fields: Record<string, string>,
  sources: SecretSources,
  ...names: string[]
): string {
  const name = names.find((each) => fields[each] !== undefined);
  if (name !== undefined) return fields[name]!;
  const secret = nameOf(entry, sources);
  throw new KeychainFault(
    entry,
    `the secret "${secret}" has no field \`${names[0]}\``,
    sources.howToSet(secret, [names[0]!]),
  );
}
