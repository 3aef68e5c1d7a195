/**
 * What the keychain of a document may reach when a person runs it here: their secrets, their environment, some files.
 */
import { delimiter } from 'node:path';
import { Secrets } from '@woof/engine';
import type { Records } from '@woof/stores';
import type { SecretSources } from '@woof/worker';
import { secretKeys } from './secret-keys.ts';

/** Where containers receive theirs. */
const USUAL = '/run/secrets';

export function localSources(data: { path: string; store: { records: Records } }): SecretSources {
  let secrets: Secrets | undefined;
  const named = (process.env.WOOF_SECRET_FILES ?? '').split(delimiter).filter((folder) => folder !== '');
  return {
    stored: (name) => {
      // The key is read, or created, when a secret is first needed.
      secrets ??= new Secrets(data.store.records, secretKeys(data.path), Date.now);
      return secrets.open(name);
    },
    machine: { env: process.env, folders: [USUAL, ...named], hidden: data.path },
    howToSet: (name, fields) => `set it: woof secret set ${[name, ...fields].join(' ')}`,
    now: Date.now,
  };
}
