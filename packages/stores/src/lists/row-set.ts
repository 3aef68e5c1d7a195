/**
 * A set of rows of one block, by their position in it. Stored as a list of positions while that is shorter than a
 * bitmap.
 */

export const BLOCK_ROWS = 2048;
const WORDS = BLOCK_ROWS / 32;
const BYTES = BLOCK_ROWS / 8;
/** Two bytes each. A list as long as the bitmap would be mistaken for it. */
const LONGEST_LIST = BYTES / 2 - 1;

export const blockOf = (no: number) => Math.floor(no / BLOCK_ROWS);
export const placeOf = (no: number) => no % BLOCK_ROWS;

export class RowSet {
  private constructor(private readonly words: Uint32Array) {}

  static empty(): RowSet {
    return new RowSet(new Uint32Array(WORDS));
  }

  static all(): RowSet {
    return new RowSet(new Uint32Array(WORDS).fill(0xffff_ffff));
  }

  static decode(bytes: Uint8Array): RowSet {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const set = RowSet.empty();
    if (bytes.length === BYTES)
      for (let word = 0; word < WORDS; word++) set.words[word] = view.getUint32(word * 4, true);
    else for (let at = 0; at < bytes.length; at += 2) set.add(view.getUint16(at, true));
    return set;
  }

  encode(): Uint8Array {
    const places = this.places();
    if (places.length <= LONGEST_LIST) return encodedList(places);
    const view = new DataView(new ArrayBuffer(BYTES));
    for (const [index, word] of this.words.entries()) view.setUint32(index * 4, word, true);
    return new Uint8Array(view.buffer);
  }

  add(place: number): void {
    this.words[place >>> 5]! |= 1 << (place & 31);
  }

  remove(place: number): void {
    this.words[place >>> 5]! &= ~(1 << (place & 31));
  }

  and(other: RowSet): this {
    for (let word = 0; word < WORDS; word++) this.words[word]! &= other.words[word]!;
    return this;
  }

  or(other: RowSet): this {
    for (let word = 0; word < WORDS; word++) this.words[word]! |= other.words[word]!;
    return this;
  }

  get isEmpty(): boolean {
    return this.words.every((word) => word === 0);
  }

  /** In ascending order. */
  places(): number[] {
    const places: number[] = [];
    for (let word = 0; word < WORDS; word++)
      for (let rest = this.words[word]!; rest !== 0; rest &= rest - 1)
        places.push(word * 32 + 31 - Math.clz32(rest & -rest));
    return places;
  }
}

/** The encoded set of positions, given in order and without duplicates; fast if they are few. */
export function encodedPlaces(places: readonly number[]): Uint8Array {
  if (places.length <= LONGEST_LIST) return encodedList(places);
  const set = RowSet.empty();
  for (const place of places) set.add(place);
  return set.encode();
}

function encodedList(places: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(places.length * 2);
  for (let index = 0; index < places.length; index++) {
    bytes[index * 2] = places[index]! & 0xff;
    bytes[index * 2 + 1] = places[index]! >>> 8;
  }
  return bytes;
}
