/** `--limit NAME=N`: how large a run may become, and all runs of a process together. */
import { DEFAULT_ENGINE_LIMITS, type EngineLimits } from '@woof/engine';
import { nearest } from '@woof/expr/nearest';
import { MOST_INLINE_BYTES } from '@woof/net';
import { UserError } from './user-error.ts';

const NAMES = Object.keys(DEFAULT_ENGINE_LIMITS);

/** A value that may be inline can always be read; otherwise the success of a run would depend on `inline_max_bytes`. */
const LEAST: Partial<Record<string, number>> = { value_bytes: MOST_INLINE_BYTES };

export const LIMIT = {
  doc: `change a limit: ${NAMES.join(', ')}; repeatable`,
  value: 'NAME=N',
  many: true,
} as const;

/** For a worker: servers enforce the others. */
export const WORKER_LIMIT = {
  doc: 'largest stored value, in bytes, that a task may read: value_bytes=N',
  value: 'NAME=N',
  many: true,
} as const;

export function limitsOf(texts: readonly string[] = [], names = NAMES): Partial<EngineLimits> {
  return Object.fromEntries(texts.map((text) => limitOf(text, names)));
}

export const workerLimitsOf = (texts?: readonly string[]): Partial<EngineLimits> =>
  limitsOf(texts, ['value_bytes']);

function limitOf(text: string, names: readonly string[]): [string, number] {
  const [name = '', count = ''] = text.split('=');
  if (!names.includes(name)) {
    const near = nearest(name, names);
    const meant = near === undefined ? `the limits are ${names.join(', ')}` : `did you mean ${near}?`;
    throw new UserError(`--limit ${text}: there is no limit "${name}"`, meant, 2);
  }
  const limit = Number(count);
  const least = LEAST[name] ?? 1;
  if (/^\d+$/.test(count) && limit >= least) return [name, limit];
  throw new UserError(
    `--limit ${text}: expected a whole number of at least ${least}`,
    `for example --limit ${name}=${Math.max(least, 1000)}`,
    2,
  );
}
