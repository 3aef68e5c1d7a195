/**
 * Chooses the kernel for a cell. `kernel=` names an installed Jupyter kernel or a built-in language. A language that is
 * not built in gets an installed kernel for it.
 *
 * Does not load the code that runs kernels: if every cell comes from the cache, only names are needed.
 */
import { didYouMean } from '@woof/expr/nearest';
import { type BuiltInLanguage, canonicalLanguage } from '@woof/net';
import { findKernelspecs, type Kernelspec, kernelspecFor, kernelspecNamed } from './jupyter/kernelspecs.ts';
import { isBuiltIn, LANGUAGES } from './languages.ts';

export async function chooseKernel(language: string, kernel?: string): Promise<BuiltInLanguage | Kernelspec> {
  const builtIn = builtInNamed(kernel ?? language);
  if (builtIn && kernel === undefined) return builtIn;
  const specs = await findKernelspecs();
  const spec = kernel === undefined ? kernelspecFor(specs, language) : kernelspecNamed(specs, kernel);
  const found = spec ?? builtIn;
  if (found === undefined) throw new Error(unknown(language, kernel, specs));
  return found;
}

/** Accepts any name of the language. */
function builtInNamed(name: string): BuiltInLanguage | undefined {
  const wanted = canonicalLanguage(name);
  return isBuiltIn(wanted) ? wanted : undefined;
}

function unknown(language: string, kernel: string | undefined, specs: readonly Kernelspec[]): string {
  const wanted = kernel ?? language;
  const what =
    kernel === undefined ? `no kernel for the language "${language}"` : `no kernel named "${kernel}"`;
  const names = specs.map((spec) => (kernel === undefined ? spec.language : spec.name));
  const hint = didYouMean(wanted, [...LANGUAGES, ...names]);
  const installed = specs.map((spec) => `${spec.name} (${spec.language})`).join(', ') || 'none';
  const there = `built-in languages: ${LANGUAGES.join(', ')}; installed Jupyter kernels: ${installed}`;
  return `${what}${hint === undefined ? '' : `; ${hint}`}; ${there}. Install its kernel, then check with "woof doctor"`;
}
