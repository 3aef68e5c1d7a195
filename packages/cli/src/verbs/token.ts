import { ROLES, type Role } from '@woof/protocol';
import { HOME_OPTIONS } from '../home-flags.ts';
import { orUnknown } from '../or-unknown.ts';
import { connect } from '../remote/connect.ts';
import { harmless, table } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';

const USAGE = 'woof token create NAME --role ROLE, woof token list, or woof token revoke ID';

export const verb = defineVerb({
  args: ['ACTION', '[NAME]'],
  instead: USAGE,
  options: {
    role: { doc: 'role of the token: viewer, operator, admin or worker', value: 'ROLE' },
    expires: { doc: 'lifetime of the token, such as 12h or 30d', value: 'TIME' },
    json: JSON_FLAG,
    ...HOME_OPTIONS,
  },
  about:
    'ACTION is create, list or revoke. A viewer can read. An operator can also start and control runs. An admin can do everything. A worker can only perform jobs.',
  examples: [
    ['woof token create ci --role operator --expires 30d', 'create a token; it is shown only once'],
    ['woof token list', 'list tokens, without their secrets'],
    ['woof token revoke 5f2c9a01bd', 'revoke a token by its id'],
  ],
  async run([action = '', name], flags) {
    const client = connect(flags);
    if (action === 'list') {
      const { tokens } = await client.call('tokens.list');
      if (flags.json) console.log(JSON.stringify(tokens));
      else
        process.stdout.write(table(tokens.map((one) => [one.id, one.role, harmless(one.name), until(one)])));
      return 0;
    }
    if (name === undefined) throw new UserError(`woof token ${action} needs a NAME`, USAGE, 2);
    if (action === 'create') {
      const expires_in_s = flags.expires === undefined ? undefined : secondsOf(flags.expires);
      const role = roleOf(flags.role);
      const body = { name, role, ...(expires_in_s === undefined ? {} : { expires_in_s }) };
      const made = await client.call('tokens.create', { body });
      console.log(flags.json ? JSON.stringify(made) : made.token);
      return 0;
    }
    if (action !== 'revoke') throw new UserError(`woof token has no action "${action}"`, USAGE, 2);
    await orUnknown(client.call('tokens.revoke', { params: { id: name } }), 'woof token list');
    if (flags.json) console.log(JSON.stringify({ id: name, ok: true }));
    else console.error(`token ${name} is revoked`);
    return 0;
  },
});

function until({ expires_at }: { expires_at?: number | undefined }): string {
  return expires_at === undefined ? '' : `until ${new Date(expires_at).toISOString().slice(0, 19)}Z`;
}

function roleOf(text: string | undefined): Role {
  const role = ROLES.find((one) => one === text);
  if (role) return role;
  const wrong =
    text === undefined ? 'woof token create needs --role' : `--role ${text}: there is no such role`;
  throw new UserError(wrong, `use --role with one of ${ROLES.join(', ')}`, 2);
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

function secondsOf(text: string): number {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNITS[unit]!;
  throw new UserError(`--expires ${text}: expected a duration`, 'for example 12h or 30d', 2);
}
