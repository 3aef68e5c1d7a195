/** Lists and revokes what was granted to workbooks. */
import { statSync } from 'node:fs';
import type { Grant, Grants } from '@woof/server/workbooks';
import { harmless, table } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { readPageFile } from './read-page-file.ts';

export async function listGrants(grants: Grants, json: boolean): Promise<void> {
  const all = await grants.list();
  if (json) console.log(JSON.stringify({ grants: all }));
  else if (all.length === 0) console.error('no workbook has been granted permissions');
  else process.stdout.write(table(all.map(rowOf)));
}

function rowOf({ hash, title, permissions, granted_at }: Grant): string[] {
  const when = `${new Date(granted_at).toISOString().slice(0, 19)}Z`;
  return [hash.slice(0, 12), permissions.join(',') || 'none', when, harmless(title)];
}

/** `which` is a file, or the prefix of a hash that only one grant has. */
export async function revokeGrant(grants: Grants, which: string, json: boolean): Promise<void> {
  const hash = statSync(which, { throwIfNoEntry: false })?.isFile()
    ? readPageFile(which).hash
    : await hashOf(grants, which);
  const revoked = await grants.revoke(hash);
  if (json) console.log(JSON.stringify({ hash, revoked }));
  else console.error(revoked ? `revoked the permissions of ${hash}` : `${hash} had no permissions`);
}

async function hashOf(grants: Grants, which: string): Promise<string> {
  const fix = 'name a file, or the beginning of a hash from woof open --list';
  const found = /^[0-9a-f]{4,64}$/.test(which)
    ? (await grants.list()).filter(({ hash }) => hash.startsWith(which))
    : [];
  if (found.length > 1)
    throw new UserError(`--revoke ${which}: ${found.length} hashes begin with this`, fix, 2);
  const [only] = found;
  if (only) return only.hash;
  throw new UserError(
    `--revoke ${which}: there is no such file, and no granted hash begins with this`,
    fix,
    2,
  );
}
