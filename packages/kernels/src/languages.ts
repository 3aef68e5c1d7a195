/** Every language that a notebook may name, with its aliases. */
import { bashDriver } from './bash/bash-driver.ts';
import type { Driver } from './driver.ts';
import { javascriptDriver } from './javascript/javascript-driver.ts';
import { pythonDriver } from './python/python-driver.ts';
import { rDriver } from './r/r-driver.ts';

const DRIVERS: [driver: Driver, ...aliases: string[]][] = [
  [pythonDriver, 'python3', 'py'],
  [javascriptDriver, 'js', 'node', 'nodejs'],
  [bashDriver, 'sh', 'shell'],
  [rDriver, 'rscript'],
];

export const LANGUAGES: string[] = DRIVERS.map(([driver]) => driver.language);

export function findDriver(name: string): Driver | undefined {
  const wanted = name.toLowerCase();
  return DRIVERS.find(([driver, ...aliases]) => [driver.language, ...aliases].includes(wanted))?.[0];
}
