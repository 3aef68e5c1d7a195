/**
 * The keys of the encrypted store: WOOF_SECRET_KEY, else a file in the data directory that only its owner may read. Of
 * several keys, one per line or separated by blanks, the first seals, and the others can still open.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { keepPrivate, writePrivate } from '../serve/private-file.ts';
import { UserError } from '../user-error.ts';

const BYTES = 32;

export function secretKeys(folder: string): Buffer[] {
  const given = process.env.WOOF_SECRET_KEY;
  const file = keyFile(folder);
  const text = given || keepPrivate(file, textOf([randomBytes(BYTES)]));
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .map((key) => Buffer.from(key, 'base64'));
  if (keys.every((key) => key.length === BYTES)) return keys;
  throw new UserError(
    `${given ? 'WOOF_SECRET_KEY' : file} is not a key: expected ${BYTES} bytes in base64`,
    'create one with: openssl rand -base64 32',
    2,
  );
}

/** Puts a new key before the existing ones; not for keys from the environment. */
export function addKey(folder: string): Buffer[] {
  const file = keyFile(folder);
  writePrivate(file, textOf([randomBytes(BYTES), ...secretKeys(folder)]));
  return secretKeys(folder);
}

export function keepFirstKey(folder: string): void {
  const [first] = secretKeys(folder);
  writePrivate(keyFile(folder), textOf([first!]));
}

function keyFile(folder: string): string {
  return join(folder, 'secret-key');
}

function textOf(keys: readonly Buffer[]): string {
  return keys.map((key) => `${key.toString('base64')}\n`).join('');
}
