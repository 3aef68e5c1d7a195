/**
 * The earlier bundles of a stage, by the digests of their sums. The manifest names them: if the outcome of an earlier
 * try could not be recorded, the next recorded bundle vouches for it.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { SUMS } from './bundle-names.ts';

export interface EarlierBundle extends JsonObject {
  attempt: number;
  bundle_sha256: string;
}

export async function earlierBundles(stage: string): Promise<EarlierBundle[]> {
  const numbers = (await readdir(stage)).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: EarlierBundle[] = [];
  for (const attempt of numbers.sort((a, b) => a - b)) {
    const sums = await readFile(join(stage, String(attempt), SUMS)).catch(() => undefined);
    if (sums) found.push({ attempt, bundle_sha256: createHash('sha256').update(sums).digest('hex') });
  }
  return found;
}
