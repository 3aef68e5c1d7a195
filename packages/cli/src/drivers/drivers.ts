/**
 * The processes that drive runs of a data directory: `drivers/` has one lock for each, under the name in the rows of
 * its runs. A name is never reused, so a driver whose lock is free is gone for good. The server of the directory drives
 * under names of its own, with a single lock for all of them.
 *
 * Owns: the names and the locks. Does not own: which run belongs to whom (engine/src/claim-run.ts), messages to a
 * driver (control/).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDriving as isDrivingAs, type Presence } from '@woof/engine';
import { LOCAL_DRIVER } from '@woof/stores';
import { isLocked, tryLock } from '../lock-file.ts';
import { makeFolder } from '../make-folder.ts';

export interface Driver {
  id: string;
  release(): void;
}

export const SERVER_LOCK = 'server.db';

/** The name in a row becomes part of a path. */
const NAME = /^local-\d+-[0-9a-f]{8}$/;

export function becomeDriver(folder: string): Driver {
  makeFolder(join(folder, 'drivers'));
  for (;;) {
    const id = `${LOCAL_DRIVER}${process.pid}-${randomBytes(4).toString('hex')}`;
    const lock = tryLock(fileOf(folder, id, 'db'), 'exclusive');
    // `removeGoneDrivers` may have run between the creation of the file and the lock.
    if (lock && existsSync(fileOf(folder, id, 'db'))) {
      const release = () => {
        removeFiles(folder, id);
        lock.release();
      };
      return { id, release };
    }
    lock?.release();
  }
}

/** As reported by the operating system. */
export function presenceIn(folder: string): Presence {
  return {
    hasProcess: (driver) => NAME.test(driver) && isLocked(fileOf(folder, driver, 'db')),
    hasServer: () => hasServer(folder),
  };
}

/** Whether there is a process behind the name. */
export function isDriving(folder: string, driver: string | null | undefined): driver is string {
  return isDrivingAs(presenceIn(folder), driver);
}

export function hasServer(folder: string): boolean {
  return isLocked(join(folder, SERVER_LOCK));
}

/** A file of a driver: its lock, its socket, or the location of its socket. */
export function fileOf(folder: string, driver: string, ending: 'db' | 'sock' | 'path'): string {
  return join(folder, 'drivers', `${driver}.${ending}`);
}

/** The name of a socket whose path beside the lock would be too long (control/control-address.ts). */
export function shortSocketName(driver: string): string {
  return `woof-${driver}.sock`;
}

/** For messages. Names of servers end in the same way. */
export function pidOf(driver: string): string {
  return /-(\d+)-[0-9a-f]+$/.exec(driver)?.[1] ?? 'unknown';
}

export function driversOf(folder: string): string[] {
  const path = join(folder, 'drivers');
  if (!existsSync(path)) return [];
  const names = readdirSync(path).map((name) => name.replace(/\.\w+$/, ''));
  return [...new Set(names)].filter((name) => NAME.test(name));
}

/** Removes what killed processes left behind. Each lock is taken first, so that no process can start under the name. */
export function removeGoneDrivers(folder: string): void {
  for (const driver of driversOf(folder)) {
    const lock = tryLock(fileOf(folder, driver, 'db'), 'exclusive');
    if (lock) removeFiles(folder, driver);
    lock?.release();
  }
}

export function removeFiles(folder: string, driver: string): void {
  if (!NAME.test(driver)) return;
  removeShortSocket(folder, driver);
  for (const ending of ['sock', 'path', 'db'] as const) removeFile(fileOf(folder, driver, ending));
}

/** The data directory may come from anybody, so the file that it names is removed only if it is such a socket. */
function removeShortSocket(folder: string, driver: string): void {
  const file = fileOf(folder, driver, 'path');
  if (!existsSync(file)) return;
  const address = readFileSync(file, 'utf8').trim();
  if (basename(address) === shortSocketName(driver)) removeFile(address);
}

/**
 * Every run ends with this, and `rmSync` loads the code that removes folders. Several processes may remove the same
 * file.
 */
function removeFile(path: string): void {
  try {
    if (existsSync(path)) unlinkSync(path);
  } catch (error) {
    if (existsSync(path)) throw error;
  }
}
