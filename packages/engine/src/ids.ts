/** Ids that sort by time and can be read out: `20261115-084812-k3x9qz7c`. */
import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export function newExecutionId(now: number): string {
  return `${timeOf(now)}-${letters(randomBytes(8))}`;
}

/** The same key gives the same child, so that a task that is tried again finds it. */
export function childId(parent: string, key: string): string {
  return `${parent}-${derived(key)}`;
}

/** The same schedule and time give the same execution, whichever server starts it. */
export function scheduledId(schedule: string, dueAt: number): string {
  return `${timeOf(dueAt)}-${derived(`${schedule}\n${dueAt}`)}`;
}

function timeOf(time: number): string {
  const [day = '', clock = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  return `${day.replaceAll('-', '')}-${clock.replaceAll(':', '')}`;
}

function derived(key: string): string {
  return letters(createHash('sha256').update(key).digest().subarray(0, 8));
}

function letters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET[byte & 31]).join('');
}
