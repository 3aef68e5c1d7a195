/** Secrets cannot be resolved yet: a document that uses some is refused before anything starts. */
import type { ReadResult } from '@woof/documents';
import { UserError } from './user-error.ts';

export function refuseKeychain(read: ReadResult): void {
  const used = usedSecrets(read);
  if (used.length === 0) return;
  throw new UserError(
    `the playbook uses the keychain (${used.join(', ')}), and this version cannot resolve secrets yet`,
    'pass the value with --set and read it from workload, or remove the entry',
    2,
  );
}

/** The linter names every entry that nothing uses. */
export function usedSecrets({ plan, diagnostics }: ReadResult): string[] {
  const unused = diagnostics.filter(({ code }) => code === 'playbook/unused-secret');
  const names = (plan?.keychain ?? []).map(({ name }) => name);
  return names.filter((name) => !unused.some(({ message }) => message.includes(`"${name}"`)));
}
