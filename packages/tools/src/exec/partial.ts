/** Reads the files of an attempt that is not sealed. A line or file that a crash truncated is ignored. */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@woof/net';
import { INTENT, RESULTS } from './bundle-names.ts';
import type { CommandResult } from './exec-runner.ts';
import type { Owner } from './owner.ts';

/** What identifies two leases as the same try of the same block. */
export interface Intent {
  /** Counts retries. */
  attempt: number;
  fence: number;
  block_sha256: string;
  started_at_ms: number;
  /** Where its commands run. */
  workdir: string;
}

export async function readIntent(folder: string): Promise<(Intent & Owner) | undefined> {
  const value = parsed(await readFile(join(folder, INTENT), 'utf8').catch(() => ''));
  return isObject(value) ? (value as unknown as Intent & Owner) : undefined;
}

export async function readResults(folder: string): Promise<CommandResult[]> {
  const text = await readFile(join(folder, RESULTS), 'utf8').catch(() => '');
  const results: CommandResult[] = [];
  for (const line of text.split('\n')) {
    const result = parsed(line);
    if (isObject(result)) results[Number(result.index)] = result as unknown as CommandResult;
  }
  return results;
}

/** Durable when it resolves. */
export async function writeWhole(path: string, value: unknown): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
