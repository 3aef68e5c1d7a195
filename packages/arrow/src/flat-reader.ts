/** Reads untrusted flatbuffers. An offset outside the bytes is a fault and never yields some other value. */
import { ArrowFault } from './arrow-field.ts';

const MOST_ITEMS = 1_000_000;
/** Several offsets may point to the same text, so the total amount read is bounded in proportion to the bytes. */
const MOST_TIMES = 4;
const ALWAYS = 64 * 1024;

export class FlatTable {
  private constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly budget: { left: number },
  ) {}

  static root(bytes: Buffer): FlatTable {
    const budget = { left: MOST_TIMES * bytes.length + ALWAYS };
    return guarded(() => new FlatTable(bytes, bytes.readUInt32LE(0), budget));
  }

  int(slot: number, size: 1 | 2 | 4, otherwise = 0): number {
    const at = this.place(slot);
    return at === 0 ? otherwise : guarded(() => this.bytes.readIntLE(at, size));
  }

  wide(slot: number): number {
    const at = this.place(slot);
    return at === 0 ? 0 : this.wideAt(at);
  }

  table(slot: number): FlatTable | undefined {
    const at = this.target(slot);
    return at === 0 ? undefined : new FlatTable(this.bytes, at, this.budget);
  }

  text(slot: number): string | undefined {
    const at = this.target(slot);
    if (at === 0) return undefined;
    const length = guarded(() => this.bytes.readUInt32LE(at));
    if (at + 4 + length > this.bytes.length) throw new ArrowFault('a text extends beyond its end');
    this.spend(length);
    return this.bytes.toString('utf8', at + 4, at + 4 + length);
  }

  tables(slot: number): FlatTable[] {
    const [at, count] = this.vector(slot);
    return Array.from({ length: count }, (_, index) => {
      const place = at + 4 * index;
      return guarded(() => new FlatTable(this.bytes, place + this.bytes.readUInt32LE(place), this.budget));
    });
  }

  pairs(slot: number): [number, number][] {
    const [at, count] = this.vector(slot);
    return Array.from({ length: count }, (_, index) => [
      this.wideAt(at + 16 * index),
      this.wideAt(at + 16 * index + 8),
    ]);
  }

  has(slot: number): boolean {
    return this.place(slot) !== 0;
  }

  private vector(slot: number): [at: number, count: number] {
    const at = this.target(slot);
    if (at === 0) return [0, 0];
    const count = guarded(() => this.bytes.readUInt32LE(at));
    if (count > MOST_ITEMS) throw new ArrowFault(`a list has ${count} entries`);
    this.spend(4 * count);
    return [at + 4, count];
  }

  private spend(bytes: number): void {
    this.budget.left -= bytes;
    if (this.budget.left < 0) throw new ArrowFault('its description repeats itself too often');
  }

  private target(slot: number): number {
    const at = this.place(slot);
    return at === 0 ? 0 : at + guarded(() => this.bytes.readUInt32LE(at));
  }

  private place(slot: number): number {
    return guarded(() => {
      const directory = this.start - this.bytes.readInt32LE(this.start);
      const size = this.bytes.readUInt16LE(directory);
      if (4 + 2 * slot + 2 > size) return 0;
      const offset = this.bytes.readUInt16LE(directory + 4 + 2 * slot);
      return offset === 0 ? 0 : this.start + offset;
    });
  }

  private wideAt(at: number): number {
    const value = guarded(() => this.bytes.readBigInt64LE(at));
    if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
      throw new ArrowFault('a length is out of range');
    return Number(value);
  }
}

export function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new ArrowFault('an offset leads outside it');
    throw error;
  }
}
