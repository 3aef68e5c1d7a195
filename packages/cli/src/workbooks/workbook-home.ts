/**
 * Where grants and kept values of workbooks are: in the data directory; the key that seals grants is in the person's
 * home.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Grants, KeptValues } from '@woof/server/workbooks';
import { locateData } from '../data-directory.ts';
import { makeFolder } from '../make-folder.ts';

export interface WorkbookHome {
  grants: Grants;
  kept: KeptValues;
  /** Creates the data directory if it is missing. */
  prepare(): void;
}

const FOLDER = 'workbooks';

export function workbookHome(flag: string | undefined): WorkbookHome {
  const { path } = locateData(flag);
  const folder = join(path, FOLDER);
  let key: Buffer | undefined;
  const keyOnce = () => {
    key ??= grantKey();
    return key;
  };
  const prepare = () => {
    makeFolder(path);
    if (!existsSync(join(path, '.gitignore'))) writeFileSync(join(path, '.gitignore'), '*\n');
  };
  return { grants: new Grants(folder, keyOnce), kept: new KeptValues(folder), prepare };
}

/** Created once per person. If it cannot be stored, grants last as long as this process. */
function grantKey(): Buffer {
  const folder = join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'woof');
  const file = join(folder, 'grant-key');
  try {
    if (!existsSync(file)) makeKey(folder, file);
    return readFileSync(file);
  } catch (error) {
    process.stderr.write(`note: Woof cannot store permissions: ${(error as Error).message}\n`);
    return randomBytes(32);
  }
}

/** Linked to its name, not written under it: two processes that start at once see the same, complete key. */
function makeKey(folder: string, file: string): void {
  makeFolder(folder);
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(aside, randomBytes(32), { mode: 0o600, flag: 'wx' });
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
