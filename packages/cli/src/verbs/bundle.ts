import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type BundleFault, folderName, MANIFEST, OPEN_SUFFIX, SUMS, verifyBundle } from '@woof/tools/bundle';
import { type DataDirectory, locateData } from '../data-directory.ts';
import { knownBundles } from '../known-bundles.ts';
import { type OpenRun, stateOf, withRun } from '../open-run.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { DATA, defineVerb, JSON_FLAG } from '../verb.ts';

const STRAY = 'the log of the run does not know it: it was added, or its worker had lost the stage';
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
    const bundles = [];
    for (const check of checks) bundles.push(await verified(check));
    const ok = bundles.every(({ faults }) => faults.length === 0);
    if (flags.json) console.log(JSON.stringify({ ok, bundles }));
    else for (const { bundle, faults, known } of bundles) report(bundle, faults, known);
    return ok ? 0 : 1;
  },
});

interface Check {
  folder: string;
  /** That the log knows. */
  digest?: string;
  /** The log knows bundles of its stage and this is none of them, or the run has no such stage. */
  stray?: boolean;
}

function isBundle(word: string): boolean {
  return [MANIFEST, SUMS].some((name) => existsSync(join(word, name)));
}

async function verified({ folder, digest, stray }: Check) {
  const faults = await verifyBundle(folder, digest);
  if (stray) faults.push({ path: '', fault: 'extra', message: STRAY });
  return { bundle: folder, faults, known: digest !== undefined };
}

async function bundlesOf(
  word: string,
  stage: string | undefined,
  flags: { data?: string },
): Promise<Check[]> {
  return withRun(word, flags, async (run) => {
    const data = locateData(flags.data);
    const known = await knownBundles(run, data.path);
    const found = [...(await bundlesHere(run, stage, data, known)), ...missing(stage, data, known)];
    if (found.length > 0) return found;
    const what = stage === undefined ? 'it' : `its stage "${stage}"`;
    throw new UserError(
      `${run.row.execution_id} has no bundles of ${what} here`,
      'bundles lie where the worker ran, and go with woof gc',
    );
  });
}

type Known = ReadonlyMap<string, string>;

async function bundlesHere(
  run: OpenRun,
  stage: string | undefined,
  data: DataDirectory,
  known: Known,
): Promise<Check[]> {
  const inData = join('runs', folderName(run.row.execution_id));
  const folder = join(data.path, inData);
  const own = new Set((await stateOf(run)).plan.steps.map(({ name }) => folderName(name)));
  const stages = stage === undefined ? await foldersIn(folder) : [folderName(stage)];
  const found: Check[] = [];
  for (const name of stages) {
    const told = !own.has(name) || [...known.keys()].some((path) => dirname(path) === join(inData, name));
    for (const attempt of await foldersIn(join(folder, name))) {
      if (attempt.endsWith(OPEN_SUFFIX)) continue;
      const digest = known.get(join(inData, name, attempt));
      const more = digest === undefined ? { stray: told } : { digest };
      found.push({ folder: join(folder, name, attempt), ...more });
    }
  }
  return found;
}

function missing(stage: string | undefined, data: DataDirectory, known: Known): Check[] {
  const asked = [...known.keys()].filter(
    (path) => stage === undefined || path.split('/')[2] === folderName(stage),
  );
  return asked.map((path) => ({ folder: join(data.path, path) })).filter(({ folder }) => !existsSync(folder));
}

async function foldersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => statSync(join(folder, name)).isDirectory()).sort();
}

function report(bundle: string, faults: BundleFault[], known: boolean): void {
  const alone = known ? '' : '  (by its own sums alone: the log does not name it)';
  if (faults.length === 0) console.log(`ok  ${harmless(bundle)}${alone}`);
  for (const { path, fault, message } of faults)
    console.log(`${fault}  ${harmless(join(bundle, path))}: ${message}`);
}
