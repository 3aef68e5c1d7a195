/** Arguments and flags of a verb, or a UserError that says what is wrong with them and what was meant. */
import { parseArgs } from 'node:util';
import { nearest } from '@woof/expr/nearest';
import { shellWord } from './shell-word.ts';
import { UserError } from './user-error.ts';
import type { Flags, Options, Verb } from './verb.ts';

export interface Parsed {
  args: string[];
  flags: Flags<Options>;
  help: boolean;
}

export function parseArguments(name: string, verb: Verb, argv: readonly string[]): Parsed {
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options: parserOptions(verb.options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkOption(name, verb, token);
  const help = values.help === true;
  if (!help) checkCount(name, verb, positionals);
  return { args: positionals, flags: values as Flags<Options>, help };
}

function parserOptions(options: Options) {
  const help = { type: 'boolean' as const, short: 'h' };
  const declared = Object.entries(options).map(([name, { value, many, short }]) => [
    name,
    {
      type: value ? ('string' as const) : ('boolean' as const),
      multiple: many ?? false,
      ...(short ? { short } : {}),
    },
  ]);
  return { ...Object.fromEntries(declared), help };
}

interface OptionToken {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

function checkOption(name: string, verb: Verb, token: OptionToken): void {
  if (token.name === 'help') return;
  const spec = Object.hasOwn(verb.options, token.name) ? verb.options[token.name] : undefined;
  if (spec === undefined)
    throw new UserError(`woof ${name} has no option ${token.rawName}`, fixOfOption(name, verb, token), 2);
  // `--data --json`: the next option is not a value; a value that starts with a dash is given as --data=--json.
  const isMissing = !token.value || (token.value.startsWith('-') && !token.inlineValue);
  if (spec.value && isMissing) {
    throw new UserError(`${token.rawName} needs a value`, `write ${token.rawName} ${spec.value}`, 2);
  }
  if (!spec.value && token.value !== undefined) {
    throw new UserError(`${token.rawName} takes no value, got "${token.value}"`, `write ${token.rawName}`, 2);
  }
}

/** Options of other programs: the first that the verb has is meant. */
const ELSEWHERE: Record<string, readonly string[]> = {
  f: ['follow', 'force'],
  filter: ['query', 'grep', 'status'],
  format: ['output', 'dot', 'json'],
  input: ['set'],
  inputs: ['set'],
  last: ['limit', 'tail'],
  lines: ['tail'],
  n: ['limit', 'tail'],
  o: ['json'],
  output: ['json'],
  param: ['set'],
  parameter: ['set'],
  parameters: ['set'],
  params: ['set'],
  port: ['listen'],
  silent: ['quiet'],
  var: ['set'],
  vars: ['set'],
  y: ['force'],
  yes: ['force'],
};

function fixOfOption(name: string, verb: Verb, { name: option, rawName }: OptionToken): string {
  const known = Object.keys(verb.options);
  const elsewhere = Object.hasOwn(ELSEWHERE, option) ? ELSEWHERE[option]! : [];
  const near = nearest(option, known) ?? elsewhere.find((each) => known.includes(each));
  if (near) return `did you mean --${near}?`;
  const isName = rawName.startsWith('--') && known.includes('set');
  return [
    `see: woof ${name} --help`,
    ...(isName ? [`to set a value of the document: --set ${option}=VALUE`] : []),
    ...(verb.instead ? [verb.instead] : []),
  ].join('; ');
}

function checkCount(name: string, verb: Verb, given: readonly string[]): void {
  const usage = `woof ${[name, ...verb.args].join(' ')}`;
  const needed = verb.args.filter((arg) => !arg.startsWith('['));
  const missing = needed[given.length];
  if (missing) {
    const fix = `usage: ${usage}${verb.instead ? `; ${verb.instead}` : ''}`;
    throw new UserError(`woof ${name} needs ${missing.replace('...', '')}`, fix, 2);
  }
  const any = verb.args.some((arg) => arg.includes('...'));
  const extra = any ? undefined : given[verb.args.length];
  if (extra === undefined) return;
  const isValue = Object.hasOwn(verb.options, 'set') && /^[\w.]+=/.test(extra);
  const fix = isValue ? `to set a value of the document: --set ${shellWord(extra)}` : `usage: ${usage}`;
  throw new UserError(`unexpected argument "${extra}"`, fix, 2);
}
