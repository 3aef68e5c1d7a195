/**
 * A secret in a file. The file must be in the folder of the document or in one that the person named: a document from
 * elsewhere must not read the keys of the person who runs it.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeJson, encodeJson, isObject, type KeychainEntry } from '@woof/net';
import { KeychainFault } from './keychain-fault.ts';

const LARGEST = 1024 * 1024;

export function readSecretFile(
  entry: KeychainEntry,
  folders: readonly string[],
  hidden: string,
): Record<string, string> {
  const path = resolve(folders[0] ?? '.', String(entry.path));
  const text = read(entry, path, folders, hidden);
  if (entry.format !== 'json') return { value: text.replace(/\r?\n$/, '') };
  const fields = parsed(text);
  if (!isObject(fields)) {
    throw new KeychainFault(
      entry,
      `${path} does not contain a JSON object`,
      'write {"field": "value"} into it',
    );
  }
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : encodeJson(value),
    ]),
  );
}

function read(entry: KeychainEntry, path: string, folders: readonly string[], hidden: string): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new KeychainFault(
      entry,
      `there is no file ${path}`,
      'write the secret into it, or correct the path',
    );
  }
  if (isWithin(real, hidden) || real.split('/').includes('.woof'))
    throw new KeychainFault(entry, `${real} belongs to Woof itself`, 'move the secret elsewhere');
  if (!folders.some((folder) => isWithin(real, folder))) {
    throw new KeychainFault(
      entry,
      `${real} is outside the document's folder`,
      'move it there, or name its directory in WOOF_SECRET_FILES',
    );
  }
  const found = statSync(real);
  // Reading a pipe would block.
  if (!found.isFile())
    throw new KeychainFault(entry, `${real} is not a file`, 'name a file that contains the secret');
  if (found.size > LARGEST)
    throw new KeychainFault(entry, `${real} is larger than 1 MiB`, 'check that it is the right file');
  try {
    return readFileSync(real, 'utf8');
  } catch (error) {
    throw new KeychainFault(
      entry,
      `cannot read ${real}: ${(error as NodeJS.ErrnoException).code}`,
      'check its permissions',
    );
  }
}

function isWithin(path: string, folder: string): boolean {
  try {
    return path.startsWith(`${realpathSync(folder).replace(/\/$/, '')}/`);
  } catch {
    return false;
  }
}

/** The parser's own message would quote the text. */
function parsed(text: string): unknown {
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}
