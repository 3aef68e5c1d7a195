/** The languages that Woof runs itself; others get an installed Jupyter kernel. Their other names are those of `net`. */
import { canonicalLanguage } from '@woof/net';
import { bashDriver } from './bash/bash-driver.ts';
import type { Driver } from './driver.ts';
import { javascriptDriver } from './javascript/javascript-driver.ts';
import { pythonDriver } from './python/python-driver.ts';
import { rDriver } from './r/r-driver.ts';

const DRIVERS: Driver[] = [pythonDriver, javascriptDriver, bashDriver, rDriver];

export const LANGUAGES: string[] = DRIVERS.map(({ language }) => language);

export function findDriver(name: string): Driver | undefined {
  const wanted = canonicalLanguage(name);
  return DRIVERS.find(({ language }) => language === wanted);
}
