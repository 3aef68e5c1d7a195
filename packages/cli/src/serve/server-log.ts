/** `--log-level` and `--log-format` of a server: what it logs about itself on stderr. */
import { LOG_FORMATS, LOG_LEVELS, ServerLog } from '@woof/server';
import { UserError } from '../user-error.ts';

export const LOG_OPTIONS = {
  'log-level': { doc: 'lowest level to log: debug, info, warn or error (default: info)', value: 'LEVEL' },
  'log-format': { doc: 'log format: text or json (default: text)', value: 'FORMAT' },
} as const;

export function serverLog(flags: { 'log-level'?: string; 'log-format'?: string }): ServerLog {
  const level = oneOf('--log-level', flags['log-level'] ?? 'info', LOG_LEVELS);
  const format = oneOf('--log-format', flags['log-format'] ?? 'text', LOG_FORMATS);
  return new ServerLog({ level, format, write: (line) => process.stderr.write(line) });
}

function oneOf<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === text);
  if (word) return word;
  throw new UserError(`${flag} ${text}: unknown value`, `use one of ${words.join(', ')}`, 2);
}
