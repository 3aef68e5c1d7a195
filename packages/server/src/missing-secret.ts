/** Names the first secret that a plan uses and the store does not have. Does not read values. */
import { type Plan, storedName, usedKeychain } from '@woof/net';

export function missingSecret(
  plan: Plan,
  known: readonly { name: string; fields: readonly string[] }[],
): string | undefined {
  const names = new Set(known.map(({ name }) => name));
  for (const entry of usedKeychain(plan)) {
    const name = storedName(entry, 'server');
    if (name === undefined || names.has(name)) continue;
    const set = `set it with: woof secret set ${name} --stdin --server URL`;
    return `keychain entry "${entry.name}" (${entry.kind}): the server has no secret "${name}"; ${set}`;
  }
  return undefined;
}
