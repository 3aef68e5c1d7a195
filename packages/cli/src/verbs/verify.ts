import { existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BundleFault, folderName, MANIFEST, OPEN_SUFFIX, SUMS, verifyBundle } from '@woof/tools/bundle';
import { type DataDirectory, locateData } from '../data-directory.ts';
import { knownBundles } from '../known-bundles.ts';
import { stateOf, withRun } from '../open-run.ts';
import { harmless } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { DATA, defineVerb, JSON_FLAG } from '../verb.ts';

const STRAY = 'the log of the run does not name this bundle: it was added, or its worker had lost the stage';
const UNNAMED = ': the log does not name it';

export const verb = defineVerb({
  args: ['RUN', '[STAGE]'],
  options: { json: JSON_FLAG, data: DATA },
  about:
    'Woof compares the files of each bundle with their checksums, and the checksums with the log of the run. RUN can also be the directory of a bundle.',
  examples: [
    ['woof verify last', 'verify all bundles of the newest run'],
    ['woof verify last build --json', 'verify the bundles of the stage "build"'],
    ['woof verify .woof/runs/k3x9/build/1', 'verify one bundle by its directory'],
  ],
  async run([word = '', stage], flags) {
    const alone = isBundle(word);
    const checks = alone ? [{ folder: realpathSync(word) }] : await bundlesOf(word, stage, flags);
    const bundles = [];
    for (const check of checks) bundles.push(await verified(check));
    const ok = bundles.every(({ faults }) => faults.length === 0);
    if (flags.json) console.log(JSON.stringify({ ok, bundles }));
    else
      for (const { bundle, faults, known } of bundles)
        report(
          bundle,
          faults,
          known ? '' : `  (checked only against its own checksums${alone ? '' : UNNAMED})`,
        );
    return ok ? 0 : 1;
  },
});

interface Check {
  folder: string;
  /** The digest that the log records. */
  digest?: string;
  /** The log records bundles of its stage and this is not one of them, or the run has no such stage. */
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
    const own = new Set((await stateOf(run)).plan.steps.map(({ name }) => folderName(name)));
    const here = await bundlesHere(join(data.path, 'runs', folderName(run.row.execution_id)));
    const paths = new Set([...known.keys(), ...here.map((path) => relative(data.path, path))]);
    const asked = [...paths].filter((path) => stage === undefined || stageOf(path) === folderName(stage));
    if (asked.length > 0) return asked.sort().map((path) => checkOf(path, data, known, own));
    const what = stage === undefined ? '' : ` of stage "${stage}"`;
    throw new UserError(
      `${run.row.execution_id} has no bundles${what} here`,
      'bundles are on the machine whose worker ran the stage, and woof gc removes old ones',
    );
  });
}

/** The stage in `runs/<run>/<stage>/<attempt>`. */
function stageOf(path: string): string {
  return path.split('/')[2]!;
}

function checkOf(
  path: string,
  data: DataDirectory,
  known: ReadonlyMap<string, string>,
  own: ReadonlySet<string>,
): Check {
  const folder = join(data.path, path);
  const digest = known.get(path);
  if (digest !== undefined) return { folder, digest };
  const isTold = [...known.keys()].some((each) => dirname(each) === dirname(path));
  return { folder, stray: isTold || !own.has(stageOf(path)) };
}

/** Finished bundles in the folder of a run's bundles. */
async function bundlesHere(run: string): Promise<string[]> {
  const found: string[] = [];
  for (const stage of await foldersIn(run)) found.push(...(await foldersIn(stage)));
  return found.filter((path) => !path.endsWith(OPEN_SUFFIX));
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isFile()).map(({ name }) => join(folder, name));
}

function report(bundle: string, faults: BundleFault[], note: string): void {
  if (faults.length === 0) console.log(`ok  ${harmless(bundle)}${note}`);
  for (const { path, fault, message } of faults)
    console.log(`${fault}  ${harmless(join(bundle, path))}: ${message}`);
}
