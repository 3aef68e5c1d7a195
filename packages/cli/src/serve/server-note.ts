/**
 * The note that a server leaves in its data directory. Only the process that holds the lock of its kind calls these.
 */
import { rmSync } from 'node:fs';
import { noteFile, readNote, type ServerNote } from '../remote/folder-server.ts';
import { writePrivate } from './private-file.ts';
import type { StoreKind } from './store-kinds.ts';

export function announce(folder: string, kind: StoreKind, note: ServerNote): void {
  writePrivate(noteFile(folder, kind), `${JSON.stringify(note)}\n`);
}

/** From here on nobody sends a token to the address. The token stays for the next start. */
export function withdraw(folder: string, kind: StoreKind): void {
  const { token } = readNote(folder, kind);
  const file = noteFile(folder, kind);
  if (token === undefined) rmSync(file, { force: true });
  else writePrivate(file, `${JSON.stringify({ token })}\n`);
}
