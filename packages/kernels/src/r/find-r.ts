/** Finds R. Its binary is started directly, because `R` and `Rscript` need a shell that the sandbox may not show. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '@woof/sandbox';

export interface RPlace {
  home: string;
  share: string;
  etc: string;
  libraries: string[];
}

const ASK = 'cat(R.home(), R.home("share"), R.home("etc"), .libPaths(), sep = "\\n")';

/** Links to linear algebra libraries, locales (R needs them for UTF-8), and fonts for text in plots. */
const BESIDE = ['/etc/R', '/etc/alternatives', '/usr/lib/locale', '/etc/fonts', '/usr/share/fonts'];

let found: Promise<RPlace> | undefined;

export function findR(): Promise<RPlace> {
  found ??= ask();
  return found;
}

export function rEnvironment({ home, share, libraries }: RPlace): Record<string, string> {
  return {
    R_HOME: home,
    R_SHARE_DIR: share,
    LD_LIBRARY_PATH: `${home}/lib`,
    R_LIBS: libraries.join(':'),
    // `R_START` loads them once that is possible.
    R_DEFAULT_PACKAGES: 'NULL',
  };
}

export function rFolders({ home, share, etc, libraries }: RPlace): string[] {
  return [home, share, etc, ...libraries, ...BESIDE];
}

async function ask(): Promise<RPlace> {
  const program = findProgram('Rscript');
  if (program === undefined) throw new Error('Rscript is not on the PATH: install the package r-base-core');
  const { stdout } = await promisify(execFile)(program, ['--vanilla', '-e', ASK], { encoding: 'utf8' });
  const [home = '', share = '', etc = '', ...libraries] = stdout.trim().split('\n');
  return { home, share, etc, libraries };
}
