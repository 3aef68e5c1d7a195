/**
 * What the entries of a keychain may say, and which of them a plan uses.
 *
 * Owns: kinds, their fields, and what each needs from the secret store. Does not own: values. The value of a secret
 * never reaches this room, because this room makes the log, which must not contain secrets.
 */
import { compile, isTemplate } from '@woof/expr';
import type { Json } from './json.ts';
import type { KeychainEntry, Plan, Task } from './plan.ts';

export type KeychainKind = 'secret' | 'environment' | 'file' | 'vault' | 'oauth2' | 'bearer' | 'basic';

export interface KeychainField {
  doc: string;
  /** Holds a secret: it may be a template that reads another entry, never the value itself. */
  secret?: true;
}

interface KindSchema {
  summary: string;
  fields: Record<string, KeychainField>;
  /** Required unless a stored secret provides it. */
  needs?: readonly string[];
  /** Looked up in the secret store if this field is absent. */
  storedUnless?: string;
}

const SECRET = { doc: 'The name of the secret in the store. The default is the name of the entry.' };

export const KEYCHAIN_KINDS: Record<KeychainKind, KindSchema> = {
  secret: {
    summary: 'A secret in the encrypted store (`woof secret set`).',
    fields: {
      secret: SECRET,
      provider: { doc: 'Another kind to take the value from: environment, file, vault.' },
    },
  },
  environment: {
    summary: 'Environment variables.',
    fields: {
      variable: {
        doc: 'The variable whose text is the field `value`. The default is the name in upper case.',
      },
      variables: { doc: 'A map of fields to variables.' },
    },
  },
  file: {
    summary: 'A file.',
    fields: {
      path: { doc: 'The file, relative to the document’s folder.' },
      format: { doc: '`text` (the default): the field `value`. `json`: a map of fields.' },
    },
    needs: ['path'],
  },
  vault: {
    summary: 'A secret in Vault, or in a service with the same API.',
    fields: {
      url: {
        doc: 'The address of the service. The default is `VAULT_ADDR`, with the token in `VAULT_TOKEN`.',
      },
      path: { doc: 'The path of the secret after `/v1/`, such as `secret/data/app`.' },
      token: { doc: 'The token for the service.', secret: true },
      namespace: { doc: 'The namespace.' },
      secret: { doc: 'The secret in the store that has the token, in its field `token` or `value`.' },
    },
    needs: ['path'],
  },
  oauth2: {
    summary: 'An OAuth 2 client credentials access token. Woof fetches a new one before it expires.',
    fields: {
      token_url: { doc: 'The address of the token endpoint.' },
      client_id: { doc: 'The client id.' },
      client_secret: { doc: 'The client secret.', secret: true },
      scope: { doc: 'The scope of the token.' },
      audience: { doc: 'The audience of the token.' },
      style: { doc: 'How the client authenticates: `basic` (the default) or `body`.' },
      secret: { doc: 'The secret in the store that has `client_id` and `client_secret`.' },
    },
    needs: ['token_url'],
    storedUnless: 'client_secret',
  },
  bearer: {
    summary: 'A token for `auth`.',
    fields: { token: { doc: 'The token.', secret: true }, secret: SECRET },
    storedUnless: 'token',
  },
  basic: {
    summary: 'A user name and a password for `auth`.',
    fields: {
      username: { doc: 'The user name.' },
      password: { doc: 'The password.', secret: true },
      secret: SECRET,
    },
    storedUnless: 'password',
  },
};

const ALIASES: Record<string, KeychainKind> = {
  secret_manager: 'secret',
  postgres_credential: 'secret',
  env: 'environment',
  oauth2_client_credentials: 'oauth2',
};

/** The words that `kind` may be. */
export const KEYCHAIN_WORDS: readonly string[] = [...Object.keys(KEYCHAIN_KINDS), ...Object.keys(ALIASES)];

/** The kind of an entry, resolved through aliases and the provider that it names. */
export function keychainKind({ kind, provider }: KeychainEntry): KeychainKind | undefined {
  const own = kindOf(kind);
  if (own !== 'secret' || provider === undefined) return own;
  return typeof provider === 'string' ? kindOf(provider) : undefined;
}

function kindOf(word: string): KeychainKind | undefined {
  if (Object.hasOwn(KEYCHAIN_KINDS, word)) return word as KeychainKind;
  return Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined;
}

/**
 * The stored secret that an entry needs. A server offers no environment or files to other people's documents, so what
 * comes from them on a single machine comes from the server's store, under the name of the entry.
 */
export function storedName(entry: KeychainEntry, where: 'here' | 'server'): string | undefined {
  const kind = keychainKind(entry);
  if (kind === undefined) return undefined;
  const named = typeof entry.secret === 'string' ? entry.secret : undefined;
  if (kind === 'secret') return named ?? entry.name;
  if (kind === 'environment' || kind === 'file') return where === 'server' ? entry.name : undefined;
  const { storedUnless } = KEYCHAIN_KINDS[kind];
  if (storedUnless === undefined || entry[storedUnless] !== undefined) return named;
  return named ?? entry.name;
}

const used = new WeakMap<Plan, KeychainEntry[]>();

/** Entries that something reads, in the order of their declaration. */
export function usedKeychain(plan: Plan): KeychainEntry[] {
  let entries = used.get(plan);
  if (entries === undefined) {
    entries = plan.keychain.length === 0 ? [] : findUsed(plan);
    used.set(plan, entries);
  }
  return entries;
}

function findUsed({ keychain, steps, blocks }: Plan): KeychainEntry[] {
  const tasks: Task[] = [...steps.flatMap((step) => step.tasks), ...Object.values(blocks)];
  const names = new Set<string>();
  for (const { input, spec } of tasks) collect([input, spec], names, true);
  // An entry may read the entries before it.
  for (const entry of keychain.toReversed()) {
    if (names.has('*') || names.has(entry.name)) collect(entry, names, false);
  }
  return keychain.filter(({ name }) => names.has('*') || names.has(name));
}

/** `*`: any of them. Tools also take an entry by its bare name: `auth: pg_main`. */
function collect(value: Json, names: Set<string>, bare: boolean): void {
  if (typeof value === 'string') {
    if (isTemplate(value)) for (const name of entriesRead(value)) names.add(name);
    else if (bare) names.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collect(item, names, bare);
  }
}

/** The entries that a template reads; `*` if it computes a name. */
export function entriesRead(text: string): string[] {
  const { template } = compile(text);
  if (!template?.names.has('keychain')) return [];
  const paths = [...template.paths.keys()]
    .map((path) => path.split('.'))
    .filter(([root]) => root === 'keychain');
  const found = paths.map(([, name]) => name ?? '*');
  return COMPUTED.test(text) || found.length === 0 ? [...found, '*'] : found;
}

/** `keychain` followed by anything but a name. */
const COMPUTED = /\bkeychain\b(?!\s*(\.\s*\w|\[\s*['"]))/;
