import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { accountOf, isObject, isReference, type Json } from '@woof/net';
import { type BundleFault, folderName, MANIFEST, OPEN_SUFFIX, SUMS, verifyBundle } from '@woof/tools/bundle';
import { locateData, runsOf } from '../data-directory.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { DATA, defineVerb, JSON_FLAG } from '../verb.ts';

const USAGE = 'woof bundle verify RUN [STAGE], or woof bundle verify DIR';

export const verb = defineVerb({
  args: ['ACTION', 'RUN', '[STAGE]'],
  options: { json: JSON_FLAG, data: DATA },
  about:
    'ACTION is verify: every file of a bundle is compared with its sums, and the sums with what the log of the run says. RUN may also be the folder of a bundle.',
  examples: [
    ['woof bundle verify last', 'all bundles of the newest run'],
    ['woof bundle verify last build --json', 'those of one stage'],
    ['woof bundle verify .woof/runs/k3x9/build/1', 'one bundle, wherever it lies'],
  ],
  async run([action = '', word = '', stage], flags) {
    if (action !== 'verify') throw new UserError(`woof bundle has no action "${action}"`, USAGE, 2);
    const checks = isBundle(word) ? [{ folder: resolve(word) }] : await bundlesOf(word, stage, flags);
    const verified = [];
    for (const { folder, digest } of checks)
      verified.push({ bundle: folder, faults: await verifyBundle(folder, digest) });
    const ok = verified.every(({ faults }) => faults.length === 0);
    if (flags.json) console.log(JSON.stringify({ ok, bundles: verified }));
    else for (const { bundle, faults } of verified) report(bundle, faults);
    return ok ? 0 : 1;
  },
});

interface Check {
  folder: string;
  /** That the log knows. */
  digest?: string;
}

function isBundle(word: string): boolean {
  return [MANIFEST, SUMS].some((name) => existsSync(join(word, name)));
}

async function bundlesOf(
  word: string,
  stage: string | undefined,
  flags: { data?: string },
): Promise<Check[]> {
  return withRun(word, flags, async (run) => {
    const folder = join(runsOf(locateData(flags.data)), folderName(run.row.execution_id));
    const stages = stage === undefined ? await foldersIn(folder) : [folderName(stage)];
    const digests = await digestsOf(run);
    const found: Check[] = [];
    for (const name of stages) {
      for (const attempt of await foldersIn(join(folder, name))) {
        if (attempt.endsWith(OPEN_SUFFIX)) continue;
        const path = join(folder, name, attempt);
        const digest = digests.get(join('runs', folderName(run.row.execution_id), name, attempt));
        found.push({ folder: path, ...(digest === undefined ? {} : { digest }) });
      }
    }
    for (const known of digests.keys()) {
      const path = join(locateData(flags.data).path, known);
      const asked = stage === undefined || known.split('/')[2] === folderName(stage);
      if (asked && !existsSync(path)) found.push({ folder: path });
    }
    if (found.length > 0) return found;
    const what = stage === undefined ? 'it' : `its stage "${stage}"`;
    throw new UserError(
      `${run.row.execution_id} has no bundles of ${what} here`,
      'bundles lie where the worker ran, and go with woof gc',
    );
  });
}

/** What each stage's last outcome says about its bundle. */
async function digestsOf(run: OpenRun): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const { result } of Object.values(accountOf(await stateOf(run)).steps)) {
    const value: Json | undefined = isReference(result)
      ? (JSON.parse(await run.home.text(result)) as Json)
      : result;
    if (isObject(value) && typeof value.bundle === 'string' && typeof value.bundle_sha256 === 'string')
      digests.set(value.bundle, value.bundle_sha256);
  }
  return digests;
}

async function foldersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => statSync(join(folder, name)).isDirectory()).sort();
}

function report(bundle: string, faults: BundleFault[]): void {
  if (faults.length === 0) console.log(`ok  ${harmless(bundle)}`);
  for (const { path, fault, message } of faults)
    console.log(`${fault}  ${harmless(join(bundle, path))}: ${message}`);
}
