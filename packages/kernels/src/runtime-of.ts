/** What a language's results may depend on beside the code: the version of its interpreter, the same on every machine. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { findInterpreter } from '@woof/sandbox';
import { findDriver } from './languages.ts';

/** As the package pins them. */
export const VEGA = 'vega 5.33.1, vega-lite 5.23.0';

export async function runtimeOf(language: string): Promise<string> {
  const known = findDriver(language)?.language ?? language;
  if (known === 'python') return basename(realpathSync((await findInterpreter()).executable));
  if (known === 'vega') return VEGA;
  return known === 'javascript' ? `node ${process.versions.node}` : known;
}
