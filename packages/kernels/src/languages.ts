/** The built-in languages, one row per language. Other languages use an installed Jupyter kernel. */
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

const ROWS = {
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
} satisfies Record<string, Language>;

export type BuiltIn = keyof typeof ROWS;

export const languages: Readonly<Record<BuiltIn, Language>> = ROWS;

export const LANGUAGES = Object.keys(ROWS) as BuiltIn[];

export function isBuiltIn(language: string): language is BuiltIn {
  return Object.hasOwn(ROWS, language);
}
