/**
 * What is kept: a number of runs of each document, and everything younger than a number of days. `retention.yaml`
 * overrides the defaults.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../user-error.ts';

export interface RetentionLimits {
  keepLast: number;
  keepDays: number;
}

export const RETENTION_DEFAULTS: RetentionLimits = { keepLast: 100, keepDays: 90 };

export interface RetentionFlags {
  'keep-last'?: string;
  'keep-days'?: string;
}

/**
 * Flags win over the file, the file over the defaults. Undefined: the file says that nothing is removed automatically.
 */
export async function retentionLimits(
  data: string,
  flags: RetentionFlags = {},
): Promise<RetentionLimits | undefined> {
  const file = await readLimits(join(data, 'retention.yaml'));
  if (file === 'off' && Object.keys(flags).length === 0) return undefined;
  const given = file === 'off' ? {} : file;
  return {
    keepLast: flagOf(flags, 'keep-last', true) ?? given.keepLast ?? RETENTION_DEFAULTS.keepLast,
    keepDays: flagOf(flags, 'keep-days', false) ?? given.keepDays ?? RETENTION_DEFAULTS.keepDays,
  };
}

function flagOf(flags: RetentionFlags, name: keyof RetentionFlags, whole: boolean): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && Number.isFinite(value) && (!whole || Number.isInteger(value))) return value;
  const wanted = whole ? 'a whole number, 0 or more' : 'a number, 0 or more';
  throw new UserError(`--${name} ${text}: expected ${wanted}`, `for example --${name} 10`, 2);
}

async function readLimits(path: string): Promise<Partial<RetentionLimits> | 'off'> {
  if (!existsSync(path)) return {};
  const { parse } = await import('yaml');
  const value = parsed(path, parse);
  if (value === 'off' || value === false) return 'off';
  const { keep_last: keepLast, keep_days: keepDays, ...rest } = (value ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(rest)[0];
  const isCount = (count: unknown) => count === undefined || (typeof count === 'number' && count >= 0);
  if (typeof value !== 'object' || unknown !== undefined || !isCount(keepLast) || !isCount(keepDays)) {
    throw new UserError(
      `${path} is invalid`,
      'write "off", or a map with keep_last and keep_days, which are numbers',
    );
  }
  return {
    ...(typeof keepLast === 'number' ? { keepLast } : {}),
    ...(typeof keepDays === 'number' ? { keepDays } : {}),
  };
}

function parsed(path: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(
      `${path} cannot be read: ${(error as Error).message}`,
      'correct the file, or remove it',
    );
  }
}
