/**
 * What a language's results may depend on beside the code: its interpreter. Asking that for its version would cost as much
 * as a kernel, also where every cell comes from the cache; its file tells when another takes its place. For the same
 * reason it loads nothing that starts processes before it must.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { findProgram } from '@woof/sandbox/find-program';
import { findInterpreter } from '@woof/sandbox/python-interpreter';
import { chooseKernel } from './choose-kernel.ts';
import type { KernelSpec } from './kernel.ts';

/** As the package pins them. */
export const VEGA = 'vega 5.33.1, vega-lite 5.23.0';

type Sources = Pick<KernelSpec, 'language' | 'kernel' | 'requirements' | 'environments' | 'container'> &
  Partial<Pick<KernelSpec, 'sandbox'>>;

/** A kernel of Jupyter is known by what starts it. */
export async function runtimeOf(sources: Sources): Promise<string> {
  const { language, kernel, requirements = [], environments, container, sandbox } = sources;
  if (language === 'vega') return VEGA;
  const found = await chooseKernel(language, kernel).catch(() => undefined);
  const known = (typeof found === 'object' ? found.language : found) ?? language;
  if (container !== undefined) {
    const { imageIdentity } = await import('@woof/sandbox/container-engine');
    return `${known} in ${await imageIdentity(container)}`;
  }
  if (typeof found === 'object') return `${found.name} ${found.argv.join(' ')}`;
  if (known === 'python') {
    const python = identityOf((await findInterpreter('', sandbox)).executable);
    const environment = await environmentOf(environments, requirements);
    return environment ? `${python} in ${environment}` : python;
  }
  if (known === 'javascript') return `node ${process.versions.node}`;
  const program = findProgram(PROGRAMS[known] ?? known);
  return program === undefined ? known : identityOf(program);
}

async function environmentOf(
  root: string | undefined,
  requirements: readonly string[],
): Promise<string | undefined> {
  if (root === undefined || requirements.length === 0) return undefined;
  const { findEnvironment } = await import('./python/python-environment.ts');
  return findEnvironment({ root, requirements });
}

const PROGRAMS: Record<string, string> = { r: 'Rscript' };

function identityOf(program: string): string {
  const path = realpathSync(program);
  const { size, mtimeMs } = statSync(path);
  return `${basename(path)} of ${size} bytes, ${mtimeMs}`;
}
