import { accessSync, constants } from 'node:fs';

const STANDARD = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/** The absolute path of a program. The system's own folders come first. */
export function findProgram(name: string): string | undefined {
  const folders = [...STANDARD, ...(process.env.PATH ?? '').split(':')].filter((folder) =>
    folder.startsWith('/'),
  );
  return folders.map((folder) => `${folder}/${name}`).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
