/** R cells: the binary itself is started, since `R` and `Rscript` go through a shell that the sandbox may not show. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Json } from '@woof/net';
import { findProgram } from '@woof/sandbox';
import type { Driver } from '../driver.ts';
import { R_CORE } from './r-core.ts';

const ASK = 'cat(R.home(), R.home("share"), R.home("etc"), .libPaths(), sep = "\\n")';

/** Links to the linear algebra, locales (without which R knows no UTF-8), and what draws text in plots. */
const BESIDE = ['/etc/R', '/etc/alternatives', '/usr/lib/locale', '/etc/fonts', '/usr/share/fonts'];

let found: Promise<string[]> | undefined;

export const rDriver: Driver = {
  language: 'r',
  channel: 'embedded',
  interrupts: false,
  captures: false,
  async launch() {
    found ??= folders();
    const [home = '', ...others] = await found;
    return {
      argv: [`${home}/bin/exec/R`, '--no-echo', '--vanilla', '-e', R_CORE],
      env: {
        R_HOME: home,
        R_SHARE_DIR: others[0] ?? '',
        LD_LIBRARY_PATH: `${home}/lib`,
        R_LIBS: others.slice(2).join(':'),
        R_DEFAULT_PACKAGES: 'NULL',
      },
      readOnly: [home, ...others, ...BESIDE],
    };
  },
  encode({ n, token, do: command, ...rest }) {
    return `list(n = ${n}L, token = "${token}", do = "${command}", ${fields(rest)})\n`;
  },
};

async function folders(): Promise<string[]> {
  const program = findProgram('Rscript');
  if (program === undefined)
    throw new Error('there is no Rscript on the PATH: install the package r-base-core');
  const { stdout } = await promisify(execFile)(program, ['--vanilla', '-e', ASK], { encoding: 'utf8' });
  return stdout.trim().split('\n');
}

function fields(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `${quote(key)} = ${toR(value as Json)}`)
    .join(', ');
}

/** JSON as R writes it: lists of equal kind as vectors, maps as named lists. */
export function toR(value: Json): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quote(value);
  if (!Array.isArray(value)) return `list(${fields(value)})`;
  const kinds = new Set(value.map((item) => typeof item));
  const plain = kinds.size === 1 && !kinds.has('object');
  return `${plain ? 'c' : 'list'}(${value.map(toR).join(', ')})`;
}

/** R takes every escape of JSON; a zero byte it does not. */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll('\0', ''));
}
