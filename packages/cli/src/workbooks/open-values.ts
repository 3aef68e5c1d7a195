/** Values for a workbook (`--env`, `--secret`): from the command line, the environment, or the secret store. */
import { UserError } from '../user-error.ts';

const NAME = /^[A-Za-z_]\w{0,99}$/;

export async function openValues(flags: {
  env?: string[];
  secret?: string[];
  data?: string;
}): Promise<Record<string, string>> {
  const plain = (flags.env ?? []).map(fromCommandLine);
  const sealed = flags.secret ? await fromSecrets(flags.secret, flags.data) : [];
  return Object.fromEntries([...plain, ...sealed]);
}

/** `NAME=VALUE`, or `NAME` for this process's own value of that name: others cannot see it in the process list. */
function fromCommandLine(given: string): [name: string, value: string] {
  const at = given.indexOf('=');
  const name = checked('--env', at < 0 ? given : given.slice(0, at), 'NAME=VALUE, or NAME');
  if (at >= 0) return [name, given.slice(at + 1)];
  const value = process.env[name];
  if (value === undefined)
    throw new UserError(
      `--env ${name}: the environment variable ${name} is not set`,
      `set it, or write --env ${name}=VALUE`,
      2,
    );
  return [name, value];
}

/** `NAME=SECRET` or `NAME=SECRET.FIELD`; the default field is `value`. */
async function fromSecrets(given: readonly string[], data: string | undefined): Promise<[string, string][]> {
  const form = 'NAME=SECRET or NAME=SECRET.FIELD';
  for (const one of given)
    if (!/=./.test(one)) throw new UserError(`--secret ${one}: expected ${form}`, secretFix(one), 2);
  const { Secrets } = await import('@woof/engine');
  const { holdsLog, locateData, openForReading } = await import('../data-directory.ts');
  const { secretKeys } = await import('../secrets/secret-keys.ts');
  const place = locateData(data);
  if (!holdsLog(place)) throw noSecrets(given[0]!, place.path);
  const { store, path } = openForReading(data);
  try {
    const secrets = new Secrets(store.records, secretKeys(path), Date.now);
    return await Promise.all(
      given.map(async (one): Promise<[string, string]> => {
        const [left = '', right = ''] = one.split(/=(.*)/s);
        const name = checked('--secret', left, form);
        const [secret = '', field = 'value'] = right.split(/\.(.*)/s);
        const value = (await secrets.open(secret))?.[field];
        if (value !== undefined) return [name, value];
        const fix = `list secrets with woof secret list, or store it with woof secret set ${secret || 'NAME'} ${field}`;
        throw new UserError(
          `--secret ${one}: there is no secret "${secret}" with a field "${field}"`,
          fix,
          2,
        );
      }),
    );
  } finally {
    await store.close();
  }
}

/** NAME is the name in the page, SECRET the name in the store. */
function secretFix(given: string): string {
  const name = given.replace(/=$/, '');
  return `to give the page the secret "${name}" under the same name, write --secret ${name}=${name}`;
}

function noSecrets(given: string, path: string): UserError {
  const [, secret = 'NAME'] = /=([^.]+)/.exec(given) ?? [];
  const fix = `store it first (woof secret set ${secret}), or name the data directory that has it with --data`;
  return new UserError(`--secret ${given}: there are no secrets in ${path}`, fix, 2);
}

function checked(flag: string, name: string, form: string): string {
  if (NAME.test(name)) return name;
  throw new UserError(`${flag} ${name}: expected ${form}`, 'use letters, digits and _ in the name', 2);
}
