import { openAlone } from '../data-directory.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { orUnknown } from '../or-unknown.ts';
import { promptSecret, readInput } from '../secrets/prompt-secret.ts';
import { withSecrets } from '../secrets/secret-home.ts';
import { harmless, table } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, JSON_FLAG } from '../verb.ts';

const USAGE = 'woof secret set NAME [FIELD...], woof secret list, woof secret rm NAME, or woof secret rotate';

export const verb = defineVerb({
  args: ['ACTION', '[NAME]', '[FIELD...]'],
  instead: USAGE,
  options: {
    stdin: {
      doc: 'read the values from stdin even if it is a terminal: one line per field, or all of stdin for a single field',
    },
    json: JSON_FLAG,
    ...HOME_OPTIONS,
  },
  about:
    'ACTION is set, list, rm or rotate. set prompts for each FIELD (default: value) without echo, or reads stdin if it is a pipe or a file, and replaces the whole secret. Woof encrypts the values in the data directory or on the server and never shows them again. FIELD=VALUE also works, but other users of this machine can see it.',
  examples: [
    ['woof secret set api token', 'prompt for the field "token"'],
    ['woof secret set api token < token.txt', 'read the field from a file'],
    ['woof secret set pg_main user password < lines.txt', 'read two fields, one per line'],
    ['woof secret list', 'list names and fields, never values'],
    ['woof secret rm api', 'remove a secret'],
    ['woof secret rotate', 'encrypt all secrets with a new key'],
  ],
  async run([action = '', name, ...words], flags) {
    if (action === 'list') return list(flags);
    if (action === 'rotate') return rotate(flags);
    if (action !== 'set' && action !== 'rm')
      throw new UserError(`woof secret has no action "${action}"`, USAGE, 2);
    if (name === undefined) throw new UserError(`woof secret ${action} needs a NAME`, USAGE, 2);
    if (action === 'rm') {
      if (words.length > 0) throw new UserError('woof secret rm takes only one name', USAGE, 2);
      await orUnknown(
        withSecrets(flags, (home) => home.remove(name)),
        'woof secret list',
      );
      return told(flags, { name, ok: true }, `secret ${name} is removed`);
    }
    if (!NAME.test(name))
      throw new UserError(`"${name}" is not a valid secret name`, 'use only letters, digits, _ . and -', 2);
    const fields = await fieldsOf(name, words, flags.stdin === true);
    await withSecrets(flags, (home) => home.put(name, fields));
    const names = Object.keys(fields);
    return told(
      flags,
      { name, fields: names, ok: true },
      `secret ${name} is stored; fields: ${names.join(', ')}`,
    );
  },
});

const NAME = /^[\w.-]{1,200}$/;

const PIPE = 'send it on stdin: one line per field, or all of stdin for a single field';

type Flags = Parameters<typeof withSecrets>[0] & { json?: true };

async function list(flags: Flags): Promise<number> {
  const secrets = await withSecrets(flags, (home) => home.list());
  if (flags.json) console.log(JSON.stringify(secrets));
  else if (secrets.length === 0) console.error('no secrets');
  else {
    const rows = secrets.map(({ name, fields, updated_at }) => [
      harmless(name),
      harmless(fields.join(', ')),
      `${new Date(updated_at).toISOString().slice(0, 19)}Z`,
    ]);
    process.stdout.write(table(rows));
  }
  return 0;
}

async function rotate(flags: Flags): Promise<number> {
  const count = await withSecrets(flags, (home) => home.rotate(), openAlone);
  return told(flags, { ok: true, secrets: count }, `${count} secrets are encrypted with the new key`);
}

function told(flags: Flags, answer: object, words: string): number {
  if (flags.json) console.log(JSON.stringify(answer));
  else console.error(words);
  return 0;
}

async function fieldsOf(
  name: string,
  words: readonly string[],
  stdin: boolean,
): Promise<Record<string, string>> {
  const given = words.filter((word) => word.includes('='));
  const asked = words.filter((word) => !word.includes('='));
  if (asked.length === 0 && (given.length === 0 || stdin)) asked.push('value');
  if (given.length > 0)
    process.stderr.write(
      'note: other users of this machine can see values on the command line; use a pipe to hide them\n',
    );
  const fields = Object.fromEntries(given.map((word) => splitAt(word, word.indexOf('='))));
  const isPiped = stdin || !process.stdin.isTTY;
  const values = isPiped && asked.length > 0 ? await linesFor(asked) : undefined;
  for (const [index, field] of asked.entries()) {
    const value = values ? values[index] : await promptSecret(`${field} of ${name}`);
    if (!value) throw new UserError(`the field "${field}" has no value`, isPiped ? PIPE : 'type a value', 2);
    fields[field] = value;
  }
  if (Object.hasOwn(fields, '')) throw new UserError('a field has no name', 'write FIELD=VALUE', 2);
  return fields;
}

function splitAt(word: string, at: number): [string, string] {
  return [word.slice(0, at), word.slice(at + 1)];
}

/** A single field takes the whole input, which may have several lines: a key, a certificate. */
async function linesFor(asked: readonly string[]): Promise<string[]> {
  const text = (await readInput()).replace(/\r?\n$/, '');
  return asked.length === 1 ? [text] : text.split(/\r?\n/);
}
