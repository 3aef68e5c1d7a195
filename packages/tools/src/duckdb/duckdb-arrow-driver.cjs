// The part of DuckDB's driver that converts columns between values and Arrow buffers. The host writes and reads the
// description of the buffers (schema, messages), see `arrow-frames.ts`.

const INTS = new Map([
  [T.TINYINT, [8, true]],
  [T.SMALLINT, [16, true]],
  [T.INTEGER, [32, true]],
  [T.BIGINT, [64, true]],
  [T.UTINYINT, [8, false]],
  [T.USMALLINT, [16, false]],
  [T.UINTEGER, [32, false]],
  [T.UBIGINT, [64, false]],
]);
const STAMPS = new Map([
  [T.TIMESTAMP_S, [0, 'seconds']],
  [T.TIMESTAMP_MS, [1, 'millis']],
  [T.TIMESTAMP, [2, 'micros']],
  [T.TIMESTAMP_NS, [3, 'nanos']],
  [T.TIMESTAMP_TZ, [2, 'micros']],
]);
// The text that DuckDB prints and reads represents these exactly.
const TEXTS = new Set([T.INTERVAL, T.TIME_TZ, T.BIT, T.BIGNUM, T.ENUM]);

function fieldOf(name, type) {
  const id = type.typeId;
  if (INTS.has(id)) return { name, kind: 'int', bits: INTS.get(id)[0], signed: INTS.get(id)[1] };
  if (STAMPS.has(id))
    return {
      name,
      kind: 'timestamp',
      unit: STAMPS.get(id)[0],
      ...(id === T.TIMESTAMP_TZ ? { zone: 'UTC' } : {}),
    };
  if (TEXTS.has(id)) return { name, kind: 'utf8', sql: String(type) };
  switch (id) {
    case T.BOOLEAN:
      return { name, kind: 'bool' };
    case T.FLOAT:
      return { name, kind: 'float', bits: 32 };
    case T.DOUBLE:
      return { name, kind: 'float', bits: 64 };
    // 39 digits, more than a 128-bit decimal may have.
    case T.HUGEINT:
    case T.UHUGEINT:
      return { name, kind: 'decimal', bits: 256, precision: 39, scale: 0, sql: String(type) };
    case T.DECIMAL:
      return { name, kind: 'decimal', bits: 128, precision: type.width, scale: type.scale };
    case T.VARCHAR:
      return { name, kind: 'utf8', ...(type.alias === 'JSON' ? { sql: 'JSON' } : {}) };
    case T.BLOB:
      return { name, kind: 'binary' };
    case T.UUID:
      return { name, kind: 'fixed', width: 16, sql: 'UUID' };
    case T.DATE:
      return { name, kind: 'date' };
    case T.TIME:
      return { name, kind: 'time', unit: 2 };
    case T.TIME_NS:
      return { name, kind: 'time', unit: 3 };
    case T.SQLNULL:
      return { name, kind: 'null' };
    case T.LIST:
      return { name, kind: 'list', children: [fieldOf('item', type.valueType)] };
    case T.ARRAY:
      return { name, kind: 'fixed_list', width: type.length, children: [fieldOf('item', type.valueType)] };
    case T.STRUCT:
      return {
        name,
        kind: 'struct',
        children: type.entryNames.map((each, at) => fieldOf(each, type.entryTypes[at])),
      };
    case T.MAP:
      return {
        name,
        kind: 'map',
        children: [
          {
            name: 'entries',
            kind: 'struct',
            children: [fieldOf('key', type.keyType), fieldOf('value', type.valueType)],
          },
        ],
      };
    default:
      return { name, kind: 'utf8', encoded: true, sql: String(type) };
  }
}

/** The buffers and nodes of one batch, in column order. */
class Batch {
  nodes = [];
  buffers = [];

  add(field, type, values) {
    const nulls = values.reduce((sum, value) => sum + (value === null ? 1 : 0), 0);
    this.nodes.push([values.length, nulls]);
    if (field.kind === 'null') return;
    this.buffers.push(nulls === 0 ? Buffer.alloc(0) : bitmap(values, (value) => value !== null));
    const inner = field.children || [];
    switch (field.kind) {
      case 'list':
        return this.lists(
          inner[0],
          type.valueType,
          values.map((value) => (value === null ? [] : value.items)),
        );
      case 'map': {
        const entries = values.map((value) => (value === null ? [] : value.entries));
        const pairs = this.offsets(entries);
        this.nodes.push([pairs.length, 0]);
        this.buffers.push(Buffer.alloc(0));
        this.add(
          inner[0].children[0],
          type.keyType,
          pairs.map(({ key }) => key),
        );
        return this.add(
          inner[0].children[1],
          type.valueType,
          pairs.map(({ value }) => value),
        );
      }
      case 'fixed_list': {
        const none = new Array(field.width).fill(null);
        return this.add(
          inner[0],
          type.valueType,
          values.flatMap((value) => (value === null ? none : value.items)),
        );
      }
      case 'struct':
        for (const [at, child] of inner.entries())
          this.add(
            child,
            type.entryTypes[at],
            values.map((value) => (value === null ? null : value.entries[child.name])),
          );
        return;
      case 'utf8': {
        const text = field.encoded ? (value) => encode(convert(value, type, convert)) : String;
        return this.slices(values.map((value) => (value === null ? NOTHING : Buffer.from(text(value)))));
      }
      case 'binary':
        return this.slices(values.map((value) => (value === null ? NOTHING : value.bytes)));
      default:
        this.buffers.push(fixed(field, type, values));
    }
  }

  lists(field, type, items) {
    this.add(field, type, this.offsets(items));
  }

  offsets(items) {
    const offsets = Buffer.alloc(4 * (items.length + 1));
    let at = 0;
    for (const [index, each] of items.entries()) {
      at += each.length;
      offsets.writeInt32LE(at, 4 * index + 4);
    }
    this.buffers.push(offsets);
    return items.flat();
  }

  slices(pieces) {
    const offsets = Buffer.alloc(4 * (pieces.length + 1));
    let at = 0;
    for (const [index, piece] of pieces.entries()) {
      at += piece.length;
      if (at > 0x7fffffff)
        throw new Error('Out of Range Error: 2048 values of one column are larger than 2 GiB');
      offsets.writeInt32LE(at, 4 * index + 4);
    }
    this.buffers.push(offsets, Buffer.concat(pieces, at));
  }

  /** A length, a description of the buffers, and the buffers, each padded to eight bytes. */
  send(rows) {
    const header = Buffer.from(
      JSON.stringify({ rows, nodes: this.nodes, buffers: this.buffers.map((each) => each.length) }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(header.length);
    const parts = [length, header];
    for (const each of this.buffers) parts.push(each, ZEROS.subarray(0, (8 - (each.length % 8)) % 8));
    writeAll(1, Buffer.concat(parts));
  }
}

const NOTHING = Buffer.alloc(0);
const ZEROS = Buffer.alloc(8);

function bitmap(values, is) {
  const bits = Buffer.alloc(Math.ceil(values.length / 8));
  for (const [at, value] of values.entries()) if (is(value)) bits[at >> 3] |= 1 << (at & 7);
  return bits;
}

function fixed(field, type, values) {
  if (field.kind === 'bool') return bitmap(values, (value) => value === true);
  const size = field.width || (field.kind === 'date' ? 4 : field.bits ? field.bits / 8 : 8);
  const data = Buffer.alloc(size * values.length);
  const write = writerOf(field, type, data, size);
  for (const [at, value] of values.entries()) if (value !== null) write(value, size * at);
  return data;
}

function writerOf(field, type, data, size) {
  switch (field.kind) {
    case 'int':
      if (size === 8)
        return field.signed
          ? (value, at) => data.writeBigInt64LE(value, at)
          : (value, at) => data.writeBigUInt64LE(value, at);
      return field.signed
        ? (value, at) => data.writeIntLE(value, at, size)
        : (value, at) => data.writeUIntLE(value, at, size);
    case 'float':
      return size === 4
        ? (value, at) => data.writeFloatLE(value, at)
        : (value, at) => data.writeDoubleLE(value, at);
    case 'decimal':
      return (value, at) => writeBig(typeof value === 'bigint' ? value : value.value, data, at, size);
    case 'date':
      return (value, at) => data.writeInt32LE(value.days, at);
    case 'time':
      return (value, at) => data.writeBigInt64LE(field.unit === 3 ? value.nanos : value.micros, at);
    case 'timestamp': {
      const part = STAMPS.get(type.typeId)[1];
      return (value, at) => data.writeBigInt64LE(value[part], at);
    }
    default:
      return (value, at) => data.write(value.toUint128().toString(16).padStart(32, '0'), at, 'hex');
  }
}

function writeBig(value, data, at, size) {
  for (let word = 0; word < size; word += 8, value >>= 64n)
    data.writeBigUInt64LE(BigInt.asUintN(64, value), at + word);
}

function sendBatch(fields, types, chunk) {
  const batch = new Batch();
  for (const [at, field] of fields.entries()) batch.add(field, types[at], chunk.getColumnValues(at));
  batch.send(chunk.rowCount);
}

/** Reads a column of a batch back into values that DuckDB accepts. */
class BatchReader {
  node = 0;
  buffer = 0;

  constructor(batch, body) {
    this.batch = batch;
    this.body = body;
  }

  bytes() {
    const [from, length] = this.batch.buffers[this.buffer++];
    return this.body.subarray(from, from + length);
  }

  column(field) {
    const [length] = this.batch.nodes[this.node++];
    if (field.kind === 'null') return new Array(length).fill(null);
    const validity = this.bytes();
    const value = this.values(field);
    const column = [];
    for (let at = 0; at < length; at++)
      column.push(validity.length === 0 || validity[at >> 3] & (1 << (at & 7)) ? value(at) : null);
    return column;
  }

  values(field) {
    const inner = field.children || [];
    switch (field.kind) {
      case 'list': {
        const [offsets, items] = [this.bytes(), this.column(inner[0])];
        return (at) =>
          new api.DuckDBListValue(items.slice(offsets.readInt32LE(4 * at), offsets.readInt32LE(4 * at + 4)));
      }
      case 'map': {
        const offsets = this.bytes();
        this.node++;
        this.bytes();
        const [keys, values] = inner[0].children.map((child) => this.column(child));
        return (at) => {
          const entries = [];
          for (let each = offsets.readInt32LE(4 * at); each < offsets.readInt32LE(4 * at + 4); each++)
            entries.push({ key: keys[each], value: values[each] });
          return new api.DuckDBMapValue(entries);
        };
      }
      case 'fixed_list': {
        const items = this.column(inner[0]);
        return (at) => new api.DuckDBArrayValue(items.slice(field.width * at, field.width * (at + 1)));
      }
      case 'struct': {
        const columns = inner.map((child) => this.column(child));
        return (at) =>
          new api.DuckDBStructValue(
            Object.fromEntries(inner.map(({ name }, each) => [name, columns[each][at]])),
          );
      }
      case 'utf8': {
        const piece = this.pieces();
        return (at) => piece(at).toString('utf8');
      }
      case 'binary': {
        const piece = this.pieces();
        return (at) => new api.DuckDBBlobValue(piece(at));
      }
      default:
        return readerOf(field, this.bytes());
    }
  }

  pieces() {
    const [offsets, data] = [this.bytes(), this.bytes()];
    return (at) => data.subarray(offsets.readInt32LE(4 * at), offsets.readInt32LE(4 * at + 4));
  }
}

const STAMP_VALUES = [
  'DuckDBTimestampSecondsValue',
  'DuckDBTimestampMillisecondsValue',
  'DuckDBTimestampValue',
  'DuckDBTimestampNanosecondsValue',
];

function readerOf(field, data) {
  const size = (field.bits || 64) / 8;
  switch (field.kind) {
    case 'bool':
      return (at) => (data[at >> 3] & (1 << (at & 7))) !== 0;
    case 'int':
      if (size === 8)
        return field.signed ? (at) => data.readBigInt64LE(8 * at) : (at) => data.readBigUInt64LE(8 * at);
      return field.signed
        ? (at) => data.readIntLE(size * at, size)
        : (at) => data.readUIntLE(size * at, size);
    case 'float':
      return size === 4 ? (at) => data.readFloatLE(4 * at) : (at) => data.readDoubleLE(8 * at);
    case 'decimal':
      if (size === 32) return (at) => readBig(data, size * at, size);
      return (at) => new api.DuckDBDecimalValue(readBig(data, size * at, size), field.precision, field.scale);
    case 'date':
      return (at) => new api.DuckDBDateValue(data.readInt32LE(4 * at));
    case 'time': {
      const Value = field.unit === 3 ? api.DuckDBTimeNSValue : api.DuckDBTimeValue;
      return (at) => new Value(data.readBigInt64LE(8 * at));
    }
    case 'timestamp': {
      if (field.zone !== undefined)
        return (at) => new api.DuckDBTimestampTZValue(micros(data.readBigInt64LE(8 * at), field));
      const Value = api[STAMP_VALUES[field.unit]];
      return (at) => new Value(data.readBigInt64LE(8 * at));
    }
    default: {
      const { width, sql } = field;
      const piece = (at) => data.subarray(width * at, width * (at + 1));
      if (sql !== 'UUID') return (at) => new api.DuckDBBlobValue(piece(at));
      return (at) => api.DuckDBUUIDValue.fromUint128(BigInt(`0x${piece(at).toString('hex')}`));
    }
  }
}

/** DuckDB has zoned times only in microseconds; finer fractions are cut off, towards the past. */
function micros(value, { name, unit }) {
  if (unit === 3) return (value - (((value % 1000n) + 1000n) % 1000n)) / 1000n;
  const scaled = value * 10n ** BigInt(6 - 3 * unit);
  if (BigInt.asIntN(64, scaled) === scaled) return scaled;
  throw new Error(`Out of Range Error: a time in the column "${name}" is out of range`);
}

function readBig(data, at, size) {
  let value = data.readBigInt64LE(at + size - 8);
  for (let word = size - 16; word >= 0; word -= 8) value = (value << 64n) | data.readBigUInt64LE(at + word);
  return value;
}

const MOST_ROWS = 2048;

/** Copies an Arrow table into a DuckDB table, one batch at a time. */
async function bringTable(connection, { create, table, fields, batches, file, view }) {
  await connection.run(create);
  const appender = await connection.createAppender(table, 'main', 'temp');
  const types = fields.map((_, at) => appender.columnType(at));
  const bytes = fs.openSync(file, 'r');
  for (const line of fs.readFileSync(batches, 'utf8').split('\n')) {
    if (line === '') continue;
    const batch = JSON.parse(line);
    const body = Buffer.alloc(batch.length);
    fs.readSync(bytes, body, 0, batch.length, batch.at);
    const reader = new BatchReader(batch, body);
    const columns = fields.map((field) => reader.column(field));
    for (let from = 0; from < batch.rows; from += MOST_ROWS) {
      const to = Math.min(batch.rows, from + MOST_ROWS);
      const chunk = api.DuckDBDataChunk.create(types, to - from);
      for (const [at, column] of columns.entries()) chunk.setColumnValues(at, column.slice(from, to));
      appender.appendDataChunk(chunk);
    }
  }
  fs.closeSync(bytes);
  appender.closeSync();
  await connection.run(view);
}
