/** The help texts, generated from what verbs declare. */
import { columnsOn } from './text-width.ts';
import type { Options, Verb } from './verb.ts';

export function generalHelp(version: string, verbs: Iterable<readonly [string, string]>): string {
  return [
    wrapped(`woof ${version}: workflows that people and agents can read`),
    '',
    'usage: woof COMMAND [arguments] [options]',
    '',
    ...columns([...verbs]),
    '',
    wrapped('RUN is a run id, the unique beginning or end of one, or "last" for the newest run.'),
    wrapped(
      'Exit codes: 0 success, 1 failure, 2 usage error or invalid document, 3 waiting for approval, 130 stopped by Ctrl-C.',
    ),
    wrapped('Use "woof COMMAND --help" for the arguments and options of a command.'),
    '',
    'examples:',
    '  woof run hello.yaml --set greeting=Hi',
    '  woof why last',
    '',
  ].join('\n');
}

export function verbHelp(name: string, summary: string, verb: Verb): string {
  return [
    `usage: woof ${[name, ...verb.args].join(' ')}${Object.keys(verb.options).length > 0 ? ' [options]' : ''}`,
    '',
    wrapped(`${summary[0]!.toUpperCase()}${summary.slice(1)}.${verb.about ? ` ${verb.about}` : ''}`),
    ...(Object.keys(verb.options).length > 0 ? ['', 'options:', ...columns(optionRows(verb.options))] : []),
    '',
    'examples:',
    ...columns(verb.examples),
    '',
  ].join('\n');
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([option, { value, short, doc }]) => [
    `${short ? `-${short}, ` : ''}--${option}${value ? ` ${value}` : ''}`,
    doc,
  ]);
}

/** Longer lines are hard to read, and terminals break them inside words. */
const MOST_COLUMNS = 100;
/** A narrower second column goes below the first. */
const FEWEST_COLUMNS = 30;

const widthHere = () => Math.min(MOST_COLUMNS, columnsOn(process.stdout) - 1);

/** In a pipe, each row is one line, which programs like grep find whole. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = process.stdout.isTTY ? widthHere() : Number.POSITIVE_INFINITY;
  const first = Math.max(...rows.map(([left]) => left.length));
  const rest = width - first - 4;
  if (rest >= FEWEST_COLUMNS)
    return rows.map(([left, right]) =>
      `  ${left.padEnd(first)}  ${wrapped(right, rest).replaceAll('\n', `\n${' '.repeat(first + 4)}`)}`.trimEnd(),
    );
  return rows.map(
    ([left, right]) => `  ${left}\n      ${wrapped(right, width - 6).replaceAll('\n', '\n      ')}`,
  );
}

function wrapped(text: string, width = widthHere()): string {
  if (text.length <= width) return text;
  return text.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trimEnd();
}
