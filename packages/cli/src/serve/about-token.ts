/**
 * What a person reads about the admin token of a server. Output that is not a terminal may be a log file, and gets no
 * token.
 */
import { noteFile, readNote } from '../remote/folder-server.ts';
import type { SharedData } from './open-shared-store.ts';

export const UNKNOWN_TOKEN =
  'the store already has an admin token; if it is lost, start with --new-admin-token';

const NOT_SHOWN =
  'shown only on a terminal, and in no file; for another, start with --new-admin-token --json';

export function aboutToken(
  token: string | undefined,
  { file, isTerminal }: { file: string | undefined; isTerminal: boolean },
): string {
  if (token === undefined) return UNKNOWN_TOKEN;
  if (isTerminal) return `${token}  (admin)`;
  return file === undefined ? NOT_SHOWN : `in ${file}  (admin)`;
}

/** Undefined if the note in the folder belongs to another server, with another token. */
export function tokenFile(
  token: string | undefined,
  { path, kind }: Pick<SharedData, 'path' | 'kind'>,
): string | undefined {
  const isThere = token !== undefined && readNote(path, kind).token === token;
  return isThere ? noteFile(path, kind) : undefined;
}
