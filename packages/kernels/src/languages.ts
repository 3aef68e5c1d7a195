/**
 * How the built-in languages run, one row per language. Their names are defined in `net` (`languages.ts`). Other
 * languages use an installed Jupyter kernel.
 */
import type { BuiltInLanguage } from '@woof/net';
import type { Driver } from './driver.ts';
import { javascriptRuntime } from './javascript/javascript-runtime.ts';
import { programRuntime } from './program-runtime.ts';
import { pythonRuntime } from './python/python-runtime.ts';
import type { RuntimeSources } from './runtime-sources.ts';

export interface Language {
  /** Loads the code that starts processes, which is not needed if every cell comes from the cache. */
  driver(): Promise<Driver>;
  /** What its results may depend on besides the code. */
  runtime(sources: RuntimeSources): Promise<string>;
}

export const languages: Readonly<Record<BuiltInLanguage, Language>> = {
  python: {
    driver: async () => (await import('./python/python-driver.ts')).pythonDriver,
    runtime: pythonRuntime,
  },
  javascript: {
    driver: async () => (await import('./javascript/javascript-driver.ts')).javascriptDriver,
    runtime: javascriptRuntime,
  },
  bash: {
    driver: async () => (await import('./bash/bash-driver.ts')).bashDriver,
    runtime: () => programRuntime('bash'),
  },
  r: {
    driver: async () => (await import('./r/r-driver.ts')).rDriver,
    runtime: () => programRuntime('r', 'Rscript'),
  },
};

export const LANGUAGES = Object.keys(languages) as BuiltInLanguage[];

export function isBuiltIn(language: string): language is BuiltInLanguage {
  return Object.hasOwn(languages, language);
}
