/** Writes the flatbuffers in which Arrow describes tables. Parents come first, so every offset points forward. */
export type Slot =
  | undefined
  | { size: 1 | 2 | 4; value: number }
  | { size: 8; value: number }
  | { size: 'offset'; write: (writer: FlatWriter) => number };

export class FlatWriter {
  private bytes = Buffer.alloc(1024);
  private length = 0;

  static build(slots: Slot[]): Buffer {
    const writer = new FlatWriter();
    const root = writer.reserve(4);
    const start = writer.table(slots);
    writer.bytes.writeUInt32LE(start - root, root);
    writer.align(8);
    return writer.bytes.subarray(0, writer.length);
  }

  /** The table's directory of slots immediately precedes it. */
  table(slots: Slot[]): number {
    const places: number[] = [];
    let size = 4;
    for (const slot of slots) {
      const width = slot === undefined ? 0 : slot.size === 'offset' ? 4 : slot.size;
      size = Math.ceil(size / (width || 1)) * (width || 1);
      places.push(width === 0 ? 0 : size);
      size += width;
    }
    const directory = this.reserve(4 + 2 * slots.length, 2);
    this.align(8);
    const start = this.reserve(size);
    this.bytes.writeUInt16LE(4 + 2 * slots.length, directory);
    this.bytes.writeUInt16LE(size, directory + 2);
    for (const [index, place] of places.entries()) this.bytes.writeUInt16LE(place, directory + 4 + 2 * index);
    this.bytes.writeInt32LE(start - directory, start);
    for (const [index, slot] of slots.entries()) if (slot) this.fill(slot, start + places[index]!);
    return start;
  }

  text(text: string): number {
    const utf8 = Buffer.from(text);
    const start = this.reserve(4 + utf8.length + 1, 4);
    this.bytes.writeUInt32LE(utf8.length, start);
    utf8.copy(this.bytes, start + 4);
    return start;
  }

  tables(items: Slot[][]): number {
    const start = this.reserve(4 + 4 * items.length, 4);
    this.bytes.writeUInt32LE(items.length, start);
    for (const [index, slots] of items.entries()) {
      const place = start + 4 + 4 * index;
      const table = this.table(slots);
      this.bytes.writeUInt32LE(table - place, place);
    }
    return start;
  }

  /** Pairs of 64-bit integers, aligned to eight bytes. */
  pairs(items: readonly (readonly [number, number])[]): number {
    this.align(8);
    const start = this.reserve(8 + 16 * items.length) + 4;
    this.bytes.writeUInt32LE(items.length, start);
    for (const [index, pair] of items.entries()) {
      this.bytes.writeBigInt64LE(BigInt(pair[0]), start + 4 + 16 * index);
      this.bytes.writeBigInt64LE(BigInt(pair[1]), start + 12 + 16 * index);
    }
    return start;
  }

  private fill(slot: NonNullable<Slot>, at: number): void {
    if (slot.size === 'offset') {
      const target = slot.write(this);
      this.bytes.writeUInt32LE(target - at, at);
    } else if (slot.size === 8) this.bytes.writeBigInt64LE(BigInt(slot.value), at);
    else this.bytes.writeIntLE(slot.value, at, slot.size);
  }

  private align(to: number): void {
    this.reserve((to - (this.length % to)) % to);
  }

  private reserve(size: number, to = 1): number {
    if (to > 1) this.align(to);
    const start = this.length;
    this.length += size;
    if (this.length > this.bytes.length) {
      const larger = Buffer.alloc(this.length * 2);
      this.bytes.copy(larger);
      this.bytes = larger;
    }
    return start;
  }
}

export const int = (size: 1 | 2 | 4, value: number): Slot => ({ size, value });
export const wide = (value: number): Slot => ({ size: 8, value });
export const table = (slots: Slot[]): Slot => ({ size: 'offset', write: (to) => to.table(slots) });
export const text = (value: string): Slot => ({ size: 'offset', write: (to) => to.text(value) });
export const tables = (items: Slot[][]): Slot => ({ size: 'offset', write: (to) => to.tables(items) });
export const pairs = (items: readonly (readonly [number, number])[]): Slot => ({
  size: 'offset',
  write: (to) => to.pairs(items),
});
