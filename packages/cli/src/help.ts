/** The help texts, generated from what verbs declare. */
import type { Verb } from './verb.ts';

export function generalHelp(version: string, verbs: Iterable<readonly [string, string]>): string {
  return [
    `woof ${version}: workflows that people and agents can read`,
    '',
    'usage: woof COMMAND [arguments] [options]',
    '',
    ...columns([...verbs]),
    '',
    'RUN is a run id, the unique beginning or end of one, or "last" for the newest run.',
    'Exit codes: 0 success, 1 failure, 2 usage error or invalid document, 3 waiting for approval, 130: Ctrl-C stopped a run.',
    'Use "woof COMMAND --help" for the arguments and options of a command.',
    '',
    'examples:',
    '  woof run hello.yaml --set greeting=Hi',
    '  woof why last',
    '',
  ].join('\n');
}

export function verbHelp(name: string, summary: string, verb: Verb): string {
  const options = Object.entries(verb.options).map(
    ([option, { value, doc }]) => [`--${option}${value ? ` ${value}` : ''}`, doc] as const,
  );
  return [
    `usage: woof ${[name, ...verb.args].join(' ')}${options.length > 0 ? ' [options]' : ''}`,
    '',
    wrapped(`${summary[0]!.toUpperCase()}${summary.slice(1)}.${verb.about ? ` ${verb.about}` : ''}`),
    ...(options.length > 0 ? ['', 'options:', ...columns(options)] : []),
    '',
    'examples:',
    ...columns(verb.examples),
    '',
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd());
}

/** Terminals break long lines inside words. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{1,100})(?: |$)/g, '$1\n').trimEnd();
}
