/**
 * What a language's results may depend on beside the code: its interpreter. Asking that for its version would cost as much
 * as a kernel, also where every cell comes from the cache; its file tells when another takes its place.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { findInterpreter, findProgram, imageIdentity } from '@woof/sandbox';
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
    const python = identityOf((await findInterpreter()).executable);
    const environment = environments && (await findEnvironment({ root: environments, requirements }));
    return environment ? `${python} in ${environment}` : python;
  }
  if (known === 'javascript') return `node ${process.versions.node}`;
  const program = findProgram(PROGRAMS[known] ?? known);
  return program === undefined ? known : identityOf(program);
}

const PROGRAMS: Record<string, string> = { r: 'Rscript' };

function identityOf(program: string): string {
  const path = realpathSync(program);
  const { size, mtimeMs } = statSync(path);
  return `${basename(path)} of ${size} bytes, ${mtimeMs}`;
}
