/** Copies finished results of a lost lease into the attempt that continues after it. */
import { copyFile, link, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@woof/net';
import type { Attempt } from './attempt.ts';
import { MANIFEST, OPEN_SUFFIX } from './bundle-names.ts';
import { type CommandResult, isFailure } from './exec-runner.ts';
import { readResults } from './partial.ts';

/** `left`: folders of dead processes. The one that got furthest counts; without any, the last bundle. */
export async function carryOver(
  stage: string,
  names: string[],
  attempt: Attempt,
  left: readonly string[],
): Promise<void> {
  const last = (await farthest(left)) ?? (await lastBundle(stage, names, attempt));
  if (last === undefined) return;
  const from = Number.parseInt(last.folder.slice(stage.length + 1), 10);
  // Stops at a gap: commands depend on those before them.
  for (let index = 0; index < last.results.length; index += 1) {
    const result = last.results[index];
    if (result === undefined || result.status === 'skipped' || isFailure(result)) return;
    for (const path of [result.stdout_path, result.stderr_path]) {
      if (path) await linkOrCopy(join(last.folder, path), join(attempt.folder, path));
    }
    await attempt.record({ ...result, attempt: result.attempt ?? from });
  }
}

interface Carried {
  folder: string;
  results: CommandResult[];
}

async function farthest(left: readonly string[]): Promise<Carried | undefined> {
  let best: Carried | undefined;
  for (const folder of left) {
    const results = await readResults(folder);
    if (results.length > 0 && results.length >= (best?.results.length ?? 0)) best = { folder, results };
  }
  return best;
}

/** The last bundle, if it is of the same try: its worker was stopped, or died before it could report. */
async function lastBundle(stage: string, names: string[], attempt: Attempt): Promise<Carried | undefined> {
  const numbers = names
    .filter((name) => !name.endsWith(OPEN_SUFFIX))
    .map((name) => Number.parseInt(name, 10));
  const folder = join(stage, String(Math.max(...numbers)));
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => 'null');
  const manifest = JSON.parse(text) as JsonObject | null;
  if (!isObject(manifest)) return undefined;
  const { attempt: number, block_sha256: block } = manifest;
  if (number !== attempt.intent.attempt || block !== attempt.intent.block_sha256) return undefined;
  return { folder, results: manifest.commands as unknown as CommandResult[] };
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
