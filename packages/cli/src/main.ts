/**
 * The command line: finds the verb, parses its arguments, calls it; every failure becomes a message and an exit code.
 */

import { nearest } from '@woof/expr/nearest';
import { generalHelp, verbHelp } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import { isRunWord } from './run-word.ts';
import { shellWord } from './shell-word.ts';
import { UserError } from './user-error.ts';
import { findVerb, loadVerb, VERBS } from './verbs.ts';

declare const WOOF_VERSION: string;

export async function main(argv: readonly string[]): Promise<number> {
  outlive(process.stdout, () => process.exit());
  outlive(process.stderr, () => {});
  const failed = (error: unknown) => report(error, wantsJson(argv));
  process.on('uncaughtException', (error) => void failed(error).then((status) => process.exit(status)));
  try {
    return await dispatch(argv);
  } catch (error) {
    return failed(error);
  }
}

/**
 * Known before the verb is: a wrong command line is an error too. The value that `woof result` prints can have any
 * shape, so its readers could take an error for a value.
 */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv[0] !== 'result' && argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** Never rejects: an error that it cannot report would come back to it as an uncaught exception, forever. */
async function report(error: unknown, json: boolean): Promise<number> {
  try {
    return (await import('./exit-with-error.ts')).exitWithError(error, json);
  } catch (broken) {
    const [what] = (broken as Error).message.split('\n');
    process.stderr.write(
      `error: the installation of Woof is incomplete: ${what}\n  fix: npm install -g @woof/cli, or in a clone: npm ci && npm run build\n`,
    );
    return 1;
  }
}

/** `woof events last | head`: a reader that left is not an error. A run continues when nobody reads its progress. */
function outlive(stream: NodeJS.WriteStream, onGone: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') onGone();
    else throw error;
  });
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined) {
    process.stderr.write(help());
    return 2;
  }
  if (name === '--version' || name === '-V') return print(`${WOOF_VERSION}\n`);
  if (name === '--help' || name === '-h' || name === 'help') {
    return rest[0] === undefined ? print(help()) : dispatch([rest[0], '--help']);
  }
  const entry = findVerb(name) ?? unknownVerb(name, rest[0]);
  const verb = await loadVerb(entry);
  const parsed = parseArguments(name, verb, rest);
  return parsed.help ? print(verbHelp(name, entry.summary, verb)) : verb.run(parsed.args, parsed.flags);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function help(): string {
  return generalHelp(
    WOOF_VERSION,
    Object.entries(VERBS).map(([name, { summary }]) => [name, summary] as const),
  );
}

/** Words of other programs. */
const ELSEWHERE = new Map([
  ['cache', 'woof clean'],
  ['convert', 'woof import FILE" or "woof export FILE'],
  ['create', 'woof init'],
  ['describe', 'woof show RUN'],
  ['docs', 'woof up'],
  ['exec', 'woof run FILE'],
  ['execute', 'woof run FILE'],
  ['format', 'woof fmt FILE'],
  ['history', 'woof runs'],
  ['info', 'woof show RUN'],
  ['kill', 'woof cancel RUN'],
  ['list', 'woof runs'],
  ['ls', 'woof runs'],
  ['new', 'woof init'],
  ['ps', 'woof runs'],
  ['restart', 'woof rerun RUN'],
  ['retry', 'woof rerun RUN'],
  ['start', 'woof run FILE" or "woof up'],
  ['stop', 'woof cancel RUN" or "woof server stop'],
  ['studio', 'woof up'],
  ['tail', 'woof logs RUN --follow'],
  ['validate', 'woof lint FILE'],
  ['version', 'woof --version'],
  ['watch', 'woof run FILE --watch'],
]);

/** What to do with a file that is given in place of a command. */
const WITH_FILE: readonly [RegExp, string][] = [
  [/\.(ya?ml|woofnb|wnb)$/i, 'run'],
  [/\.ipynb$/i, 'import'],
  [/\.html?$/i, 'open'],
];

function meant(name: string): string | undefined {
  const [, verb] = WITH_FILE.find(([pattern]) => pattern.test(name)) ?? [];
  if (verb) return `woof ${verb} ${shellWord(name)}`;
  const known = name.startsWith('-') ? ['--help', '--version'] : Object.keys(VERBS);
  const near = nearest(name, known);
  return ELSEWHERE.get(name) ?? (near && `woof ${near}`);
}

/** `woof run` takes a file, also if the newest run is meant. */
function swapped(first: string, verb: string): string {
  return `woof ${verb === 'run' && isRunWord(first) ? 'rerun' : verb} ${shellWord(first)}`;
}

function unknownVerb(name: string, next = ''): never {
  const isSwapped = Object.hasOwn(VERBS, next);
  const near = isSwapped ? swapped(name, next) : meant(name);
  const what = name.startsWith('-') ? `there is no option ${name}` : `there is no command "${name}"`;
  throw new UserError(what, near ? `did you mean "${near}"?` : 'see: woof --help', 2);
}
