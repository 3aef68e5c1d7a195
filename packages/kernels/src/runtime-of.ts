/** What a language's results may depend on beside the code: the version of its interpreter, the same on every machine. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { findInterpreter, imageIdentity } from '@woof/sandbox';
import type { KernelSpec } from './kernel.ts';
import { findDriver } from './languages.ts';
import { findEnvironment } from './python/python-environment.ts';

/** As the package pins them. */
export const VEGA = 'vega 5.33.1, vega-lite 5.23.0';

type RuntimeSpec = Pick<KernelSpec, 'requirements' | 'environments' | 'container'>;

export async function runtimeOf(
  language: string,
  { requirements = [], environments, container }: RuntimeSpec = {},
): Promise<string> {
  const known = findDriver(language)?.language ?? language;
  if (container !== undefined && known !== 'vega') return `${known} in ${await imageIdentity(container)}`;
  if (known === 'python') {
    const python = basename(realpathSync((await findInterpreter()).executable));
    const environment = environments && (await findEnvironment({ root: environments, requirements }));
    return environment ? `${python} in ${environment}` : python;
  }
  if (known === 'vega') return VEGA;
  return known === 'javascript' ? `node ${process.versions.node}` : known;
}
