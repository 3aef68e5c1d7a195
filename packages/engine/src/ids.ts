/** Ids that sort by time and can be read out: `20261115-084812-k3x9qz7c`. */
import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export function newExecutionId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().slice(0, 19).split('T');
  return `${day.replaceAll('-', '')}-${time.replaceAll(':', '')}-${letters(randomBytes(8))}`;
}

/** The same key gives the same child, so that a task that is tried again finds it. */
export function childId(parent: string, key: string): string {
  return `${parent}-${letters(createHash('sha256').update(key).digest().subarray(0, 8))}`;
}

function letters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('');
}
