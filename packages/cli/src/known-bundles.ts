/**
 * The bundles that the log of a run vouches for, by their folders in the data directory, with the digests of their
 * sums.
 *
 * The outcome of each attempt names its bundle. Interrupted attempts have no outcome; the next bundle of the stage
 * names theirs.
 */
import { dirname, join } from 'node:path';
import { accountOf, decodeJson, isObject, isReference, type Json, type JsonObject } from '@woof/net';
import { vouchedFor } from '@woof/tools/bundle';
import { type OpenRun, stateOf } from './open-run.ts';

export async function knownBundles(run: OpenRun, data: string): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  const note = async (result: Json | undefined) => {
    const value = isReference(result) ? decodeJson(await run.home.text(result)) : result;
    if (isObject(value) && typeof value.bundle === 'string' && typeof value.bundle_sha256 === 'string')
      known.set(value.bundle, value.bundle_sha256);
  };
  // Bundles that a rerun adopted have no event of their own.
  for (const { result } of Object.values(accountOf(await stateOf(run)).steps)) await note(result);
  for await (const { events } of run.home.frames(run.row, false)) {
    for (const { name, data: said } of events) {
      if (name !== 'task.done' || !isObject(said?.outcome)) continue;
      await note((said.outcome as JsonObject).result);
    }
  }
  for (const [bundle, digest] of [...known]) {
    for (const [attempt, earlier] of await vouchedFor(join(data, bundle), digest)) {
      const path = join(dirname(bundle), attempt);
      if (!known.has(path)) known.set(path, earlier);
    }
  }
  return known;
}
