/**
 * The rules that exec blocks are judged by: the built-in ones and the organisation's, from `WOOF_POLICY` or
 * `policy.yaml`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extendRules, type Rules } from '@woof/policy';
import { parse } from 'yaml';
import { UserError } from './user-error.ts';

/** Undefined: the organisation has none. An invalid file throws: what it was meant to forbid must not run. */
export function readRules(data: string): Rules | undefined {
  const named = process.env.WOOF_POLICY;
  const file = named || join(data, 'policy.yaml');
  if (!named && !existsSync(file)) return undefined;
  const read = extendRules(parsed(file));
  if ('faults' in read) throw wrong(file, read.faults.join('; '));
  return read.rules;
}

function parsed(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong(file, (error as Error).message);
  }
}

function wrong(file: string, why: string): UserError {
  return new UserError(
    `${file}: ${why}`,
    'fix the safety policy file; no exec block runs until it is valid',
    2,
  );
}
