/**
 * Reads an Arrow IPC stream incrementally and returns its parts. The bytes are untrusted, because they may come from
 * anywhere.
 *
 * Bounded: it holds at most one message. It refuses what it does not support (dictionaries, compression, other types)
 * by name.
 */
import { ArrowFault, type ArrowField } from './arrow-field.ts';
import { padded } from './arrow-writer.ts';
import { FlatTable } from './flat-reader.ts';

export interface ArrowBatch {
  rows: number;
  nodes: [length: number, nulls: number][];
  /** Positions in the body. */
  buffers: [offset: number, length: number][];
  body: Buffer;
}

export type ArrowPart = ({ fields: ArrowField[] } | { batch: ArrowBatch } | { end: true }) & {
  /** The part's original bytes. */
  bytes: Buffer;
};

const CONTINUATION = 0xffffffff;
const MOST_METADATA = 64 * 1024 * 1024;
const MOST_BODY = 2 ** 31;
const DEEPEST = 64;
const MOST_FIELDS = 100_000;

export class ArrowReader {
  private held: Buffer[] = [];
  private size = 0;
  private wanted = 8;
  private fields: ArrowField[] | undefined;
  private ended = false;

  /** Returns the parts that these bytes complete. */
  push(bytes: Uint8Array): ArrowPart[] {
    if (bytes.length > 0) this.held.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.size += bytes.length;
    const parts: ArrowPart[] = [];
    while (this.size >= this.wanted && !this.ended) {
      const part = this.next();
      if (part) parts.push(part);
    }
    return parts;
  }

  /** Call this after the last bytes. */
  finish(): void {
    if (this.fields === undefined) throw new ArrowFault('it ends before the description of its columns');
    if (!this.ended && this.size > 0) throw new ArrowFault('it ends in the middle of a batch');
  }

  private next(): ArrowPart | undefined {
    const all = this.gather();
    if (all.readUInt32LE(0) !== CONTINUATION) throw new ArrowFault('this is not an Arrow IPC stream');
    const metadata = all.readInt32LE(4);
    if (metadata === 0) {
      this.ended = true;
      return { end: true, bytes: this.take(8) };
    }
    if (metadata < 0 || metadata > MOST_METADATA)
      throw new ArrowFault('the description of a part is too long');
    if (all.length < 8 + metadata) return this.wait(8 + metadata);
    const message = FlatTable.root(all.subarray(8, 8 + metadata));
    const bodyLength = message.wide(3);
    if (bodyLength > MOST_BODY) throw new ArrowFault('a batch is larger than 2 GiB');
    const whole = 8 + metadata + bodyLength;
    if (all.length < whole) return this.wait(whole);
    const bytes = this.take(whole);
    return { ...this.part(message, bytes.subarray(8 + metadata)), bytes };
  }

  private part(message: FlatTable, body: Buffer): { fields: ArrowField[] } | { batch: ArrowBatch } {
    const header = message.table(2);
    const kind = message.int(1, 1);
    if (kind === 1 && header && this.fields === undefined) {
      let left = MOST_FIELDS;
      const read = (field: FlatTable, depth: number): ArrowField => {
        if (depth > DEEPEST || --left < 0) throw new ArrowFault('its columns are nested too deeply');
        return fieldOf(field, (child) => read(child, depth + 1));
      };
      this.fields = header.tables(1).map((field) => read(field, 0));
      return { fields: this.fields };
    }
    if (kind !== 3 || !header || this.fields === undefined)
      throw new ArrowFault(kind === 2 ? 'Woof cannot read dictionaries' : 'its parts are not in order');
    if (header.has(3)) throw new ArrowFault('Woof cannot read compressed batches');
    const batch = { rows: header.wide(0), nodes: header.pairs(1), buffers: header.pairs(2), body };
    for (const [offset, length] of batch.buffers)
      if (offset + length > padded(body.length)) throw new ArrowFault('a buffer reaches beyond its batch');
    return { batch };
  }

  private wait(size: number): undefined {
    this.wanted = size;
  }

  private gather(): Buffer {
    if (this.held.length > 1) this.held = [Buffer.concat(this.held)];
    return this.held[0] ?? Buffer.alloc(0);
  }

  private take(size: number): Buffer {
    const all = this.gather();
    this.held = [all.subarray(size)];
    this.size -= size;
    this.wanted = 8;
    return all.subarray(0, size);
  }
}

function fieldOf(field: FlatTable, read: (child: FlatTable) => ArrowField): ArrowField {
  const name = field.text(0) ?? '';
  if (field.has(4)) throw new ArrowFault(`the column "${name}" has a dictionary, which Woof cannot read`);
  const known = typeOf(field.int(2, 1), field.table(3), name);
  const { scale = 0, unit = 0, width = 0 } = known;
  if (scale < 0 || scale > MOST_SCALE || unit < 0 || unit > 3 || width < 0)
    throw new ArrowFault(`the type of the column "${name}" is out of range`);
  const metadata = new Map(field.tables(6).map((pair) => [pair.text(0), pair.text(1)]));
  const sql = metadata.get('duckdb:type');
  const children = field.tables(5).map(read);
  return {
    name,
    ...known,
    ...(children.length > 0 ? { children } : {}),
    ...(sql === undefined ? {} : { sql }),
    ...(metadata.get('woof:encoded') === 'json' ? { encoded: true } : {}),
  };
}

const MOST_SCALE = 76;
const FLOATS = [16, 32, 64];
const READABLE = { floats: [32, 64], decimals: [128, 256] };

function typeOf(type: number, at: FlatTable | undefined, name: string): Omit<ArrowField, 'name'> {
  const number = (slot: number, size: 1 | 2 | 4, otherwise = 0) =>
    at?.int(slot, size, otherwise) ?? otherwise;
  switch (type) {
    case 1:
      return { kind: 'null' };
    case 2:
      return { kind: 'int', bits: number(0, 4), signed: number(1, 1) !== 0 };
    case 3:
      return { kind: 'float', bits: readable('floats', FLOATS[number(0, 2)] ?? 0, name) };
    case 4:
      return { kind: 'binary' };
    case 5:
      return { kind: 'utf8' };
    case 6:
      return { kind: 'bool' };
    case 7:
      return {
        kind: 'decimal',
        precision: number(0, 4),
        scale: number(1, 4),
        bits: readable('decimals', number(2, 4, 128), name),
      };
    case 8:
      if (number(0, 2, 1) === 0) return { kind: 'date' };
      break;
    case 9:
      if (number(1, 4, 32) === 64) return { kind: 'time', unit: number(0, 2, 1) };
      break;
    case 10: {
      const zone = at?.text(1);
      return { kind: 'timestamp', unit: number(0, 2), ...(zone === undefined ? {} : { zone }) };
    }
    case 12:
      return { kind: 'list' };
    case 13:
      return { kind: 'struct' };
    case 15:
      return { kind: 'fixed', width: number(0, 4) };
    case 16:
      return { kind: 'fixed_list', width: number(0, 4) };
    case 17:
      return { kind: 'map' };
  }
  throw new ArrowFault(`the column "${name}" has a type that Woof cannot read (${type})`);
}

function readable(what: keyof typeof READABLE, bits: number, name: string): number {
  if (READABLE[what].includes(bits)) return bits;
  throw new ArrowFault(`the column "${name}" has ${what} of ${bits} bits, which Woof cannot read`);
}
