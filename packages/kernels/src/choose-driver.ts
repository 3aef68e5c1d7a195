/**
 * Which driver runs a cell: `kernel=` names an installed Jupyter kernel, or a language that Woof runs itself; a language
 * that Woof does not run itself gets an installed kernel of that language.
 */
import { didYouMean } from '@woof/expr/nearest';
import type { Driver } from './driver.ts';
import { jupyterDriver } from './jupyter/jupyter-driver.ts';
import { findKernelspecs, type Kernelspec, kernelspecFor, kernelspecNamed } from './jupyter/kernelspecs.ts';
import type { KernelSpec } from './kernel.ts';
import { findDriver, LANGUAGES } from './languages.ts';

export async function chooseDriver({
  language,
  kernel,
}: Pick<KernelSpec, 'language' | 'kernel'>): Promise<Driver> {
  const found = await chosen(language, kernel);
  return 'argv' in found ? jupyterDriver(found) : found;
}

export async function chosen(language: string, kernel?: string): Promise<Driver | Kernelspec> {
  const builtIn = findDriver(kernel ?? language);
  if (builtIn && kernel === undefined) return builtIn;
  const specs = await findKernelspecs();
  const spec = kernel === undefined ? kernelspecFor(specs, language) : kernelspecNamed(specs, kernel);
  const found = spec ?? builtIn;
  if (found === undefined) throw new Error(unknown(language, kernel, specs));
  return found;
}

function unknown(language: string, kernel: string | undefined, specs: readonly Kernelspec[]): string {
  const wanted = kernel ?? language;
  const what =
    kernel === undefined ? `no kernel for the language "${language}"` : `no kernel named "${kernel}"`;
  const names = specs.map((spec) => (kernel === undefined ? spec.language : spec.name));
  const hint = didYouMean(wanted, [...LANGUAGES, ...names]);
  const installed = specs.map((spec) => `${spec.name} (${spec.language})`).join(', ') || 'none';
  const there = `built in are ${LANGUAGES.join(', ')}; installed Jupyter kernels: ${installed}`;
  return `${what}${hint === undefined ? '' : `; ${hint}`}; ${there}. Install its kernel, and see "woof doctor"`;
}
