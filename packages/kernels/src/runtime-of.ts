/**
 * What a language's results may depend on besides the code: its interpreter. Loads code that starts processes only when
 * it must, because every cell may come from the cache.
 */
import { chooseKernel } from './choose-kernel.ts';
import { isBuiltIn, languages } from './languages.ts';
import { programRuntime } from './program-runtime.ts';
import type { RuntimeSources } from './runtime-sources.ts';

/** The versions that the package pins. */
export const VEGA = 'vega 5.33.1, vega-lite 5.23.0';

/** Languages that run without a kernel. */
const WITHOUT_KERNEL: ReadonlyMap<string, string> = new Map([['vega', VEGA]]);

/** A Jupyter kernel is identified by the program that starts it. */
export async function runtimeOf(sources: RuntimeSources): Promise<string> {
  const { language, kernel, container } = sources;
  const pinned = WITHOUT_KERNEL.get(language);
  if (pinned !== undefined) return pinned;
  const found = await chooseKernel(language, kernel).catch(() => undefined);
  const known = (typeof found === 'object' ? found.language : found) ?? language;
  if (container !== undefined) {
    const { imageIdentity } = await import('@woof/sandbox/container-engine');
    return `${known} in ${await imageIdentity(container)}`;
  }
  if (typeof found === 'object') return `${found.name} ${found.argv.join(' ')}`;
  return isBuiltIn(known) ? languages[known].runtime(sources) : programRuntime(known);
}
