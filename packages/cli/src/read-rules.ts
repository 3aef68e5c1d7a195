/** The rules that exec blocks are judged by: the built-in ones and the organisation's, from `WOOF_POLICY` or `policy.yaml`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_RULES, extendRules, type Rules } from '@woof/policy';

/** A file that is wrong throws: what it was meant to forbid must not run. */
export async function readRules(data: string): Promise<Rules> {
  const named = process.env.WOOF_POLICY;
  const file = named || join(data, 'policy.yaml');
  if (!named && !existsSync(file)) return DEFAULT_RULES;
  const { parse } = await import('yaml');
  const read = extendRules(parse(readFileSync(file, 'utf8')));
  if ('faults' in read) throw new Error(`${file}: ${read.faults.join('; ')}`);
  return read.rules;
}
