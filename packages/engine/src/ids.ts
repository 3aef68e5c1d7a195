/** Ids that sort by time and can be read out: `20261115-084812-k3x9qz7c`. */
import { createHash, randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LETTERS = 8;

/** Random bytes are fetched in advance: asking the system costs more than the rest of an id. */
const random = Buffer.alloc(512 * LETTERS);
let used = random.length;

/** Ids of the same second have the same prefix. */
let second = { at: Number.NaN, text: '' };

export function newExecutionId(now: number): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += LETTERS;
  return `${timeOf(now)}-${letters(random.subarray(used - LETTERS, used))}`;
}

/** The same key gives the same child, so that a retried task finds it. */
export function childId(parent: string, key: string): string {
  return `${parent}-${derived(key)}`;
}

/** The same schedule and time give the same execution, whichever server starts it. */
export function scheduledId(schedule: string, dueAt: number): string {
  return `${timeOf(dueAt)}-${derived(`${schedule}\n${dueAt}`)}`;
}

function timeOf(time: number): string {
  const at = Math.floor(time / 1000);
  if (second.at !== at) second = { at, text: secondText(at) };
  return second.text;
}

function secondText(at: number): string {
  const [day = '', clock = ''] = new Date(at * 1000).toISOString().slice(0, 19).split('T');
  return `${day.replaceAll('-', '')}-${clock.replaceAll(':', '')}`;
}

function derived(key: string): string {
  return letters(createHash('sha256').update(key).digest().subarray(0, LETTERS));
}

function letters(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += ALPHABET[byte & 31];
  return text;
}
