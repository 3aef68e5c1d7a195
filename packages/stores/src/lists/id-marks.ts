/**
 * Which ids a block may contain: one bit for each sequence of four characters that occurs in one of them. Ids are
 * random, so index terms for their parts would be as many as the rows. Invariant: a text of four characters or more
 * that is part of an id of the block has all its bits set.
 */
import { BLOCK_ROWS } from './row-set.ts';

const GRAM = 4;
/** With 2,048 ids of some 20 grams each, a sixth of the bits is set. */
const BITS = BLOCK_ROWS * 64;
const MOST_LOOKED_UP = 6;
const ID = /^[\w.-]+$/;

export interface Mark {
  byte: number;
  bit: number;
}

export function noMarks(): Uint8Array {
  return new Uint8Array(BITS / 8);
}

export function addMarks(marks: Uint8Array, id: string): void {
  for (const { byte, bit } of marksOf(id)) marks[byte]! |= bit;
}

/** Undefined: no id can contain the text, which is in lower case. Empty: any may. */
export function marksOfText(text: string): Mark[] | undefined {
  return ID.test(text) ? marksOf(text).slice(0, MOST_LOOKED_UP) : undefined;
}

function marksOf(text: string): Mark[] {
  const lower = text.toLowerCase();
  const marks: Mark[] = [];
  for (let at = 0; at + GRAM <= lower.length; at++) {
    const hash = hashOf(lower, at);
    marks.push({ byte: hash >>> 3, bit: 1 << (hash & 7) });
  }
  return marks;
}

function hashOf(text: string, at: number): number {
  let hash = 0x811c_9dc5;
  for (let index = at; index < at + GRAM; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  return ((hash ^ (hash >>> 15)) >>> 0) % BITS;
}
