/** What a language's results may depend on beside the code: the version of its interpreter, the same on every machine. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { findInterpreter, imageIdentity } from '@woof/sandbox';
import { chosen } from './choose-driver.ts';
import type { KernelSpec } from './kernel.ts';
import { findEnvironment } from './python/python-environment.ts';

/** As the package pins them. */
export const VEGA = 'vega 5.33.1, vega-lite 5.23.0';

type Sources = Pick<KernelSpec, 'language' | 'kernel' | 'requirements' | 'environments' | 'container'>;

/** A kernel of Jupyter is known by what starts it. */
export async function runtimeOf(sources: Sources): Promise<string> {
  const { language, kernel, requirements = [], environments, container } = sources;
  if (language === 'vega') return VEGA;
  const found = await chosen(language, kernel).catch(() => undefined);
  const known = found?.language ?? language;
  if (container !== undefined) return `${known} in ${await imageIdentity(container)}`;
  if (found && 'argv' in found) return `${found.name} ${found.argv.join(' ')}`;
  if (known === 'python') {
    const python = basename(realpathSync((await findInterpreter()).executable));
    const environment = environments && (await findEnvironment({ root: environments, requirements }));
    return environment ? `${python} in ${environment}` : python;
  }
  return known === 'javascript' ? `node ${process.versions.node}` : known;
}
