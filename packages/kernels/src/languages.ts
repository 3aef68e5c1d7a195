/** What runs the languages that Woof runs itself; others get an installed Jupyter kernel. */
import { bashDriver } from './bash/bash-driver.ts';
import { type BuiltIn, builtInNamed, chooseKernel } from './choose-kernel.ts';
import type { Driver } from './driver.ts';
import { javascriptDriver } from './javascript/javascript-driver.ts';
import { jupyterDriver } from './jupyter/jupyter-driver.ts';
import type { KernelSpec } from './kernel.ts';
import { pythonDriver } from './python/python-driver.ts';
import { rDriver } from './r/r-driver.ts';

const DRIVERS: Record<BuiltIn, Driver> = {
  python: pythonDriver,
  javascript: javascriptDriver,
  bash: bashDriver,
  r: rDriver,
};

export function findDriver(name: string): Driver | undefined {
  const builtIn = builtInNamed(name);
  return builtIn && DRIVERS[builtIn];
}

export async function chooseDriver({
  language,
  kernel,
}: Pick<KernelSpec, 'language' | 'kernel'>): Promise<Driver> {
  const chosen = await chooseKernel(language, kernel);
  return typeof chosen === 'string' ? DRIVERS[chosen] : jupyterDriver(chosen);
}
