// The program that runs DuckDB in a separate process, inside the sandbox.
//
// One request arrives as JSON on descriptor 3. Answers go as lines of JSON to descriptor 4: `columns`, any number of
// `rows`, then `done` or `error`. If there are too many rows, `table` comes among them, and all rows go to standard
// output as Arrow batches. For a transfer, rows go to standard output as CSV, or arrive on standard input in chunks.

'use strict';
const fs = require('node:fs');
const request = JSON.parse(fs.readFileSync(3, 'utf8'));
const api = require(request.library);
const { DuckDBInstance, DuckDBTypeId: T, JsonDuckDBValueConverter } = api;

function say(message) {
  writeAll(4, Buffer.from(`${encode(message)}\n`));
}

const INTEGERS = new Set([T.BIGINT, T.UBIGINT, T.HUGEINT, T.UHUGEINT, T.BIGNUM]);
const FLOATS = new Set([T.FLOAT, T.DOUBLE]);
const TIMES = new Set([T.TIMESTAMP, T.TIMESTAMP_S, T.TIMESTAMP_MS, T.TIMESTAMP_NS, T.TIMESTAMP_TZ]);

/** A number that JSON.stringify cannot write becomes a marked text; the mark and quotes are removed later. */
const MARK = require('node:crypto').randomBytes(16).toString('hex');
const MARKED = new RegExp(`"${MARK}([-+.\\de]+)"`, 'g');

const encode = (value) => JSON.stringify(value).replace(MARKED, '$1');

function int(value) {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return value.length <= 4300 ? MARK + value : value;
}

function float(value) {
  if (!Number.isFinite(value)) return null;
  if (!Number.isInteger(value)) return value;
  return MARK + (Object.is(value, -0) ? '-0.0' : Math.abs(value) < 1e21 ? `${value}.0` : value);
}

/** A float only if it prints as the same number. */
function decimal(text) {
  if (!text.includes('.')) return int(text);
  const nearest = Number(text);
  return significant(nearest.toExponential()) === significant(text) ? float(nearest) : text;
}

function significant(text) {
  return text.replace(/e.*|^-?[0.]*|\./g, '').replace(/0+$/, '');
}

function iso(text) {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d)?)?$/.exec(text);
  return parts ? `${parts[1]}T${parts[2]}${parts[3] ? parts[3] + (parts[4] || ':00') : ''}` : text;
}

function convert(value, type, converter) {
  if (value === null) return null;
  if (INTEGERS.has(type.typeId)) return int(String(value));
  if (FLOATS.has(type.typeId)) return float(value);
  if (type.typeId === T.DECIMAL) return decimal(String(value));
  if (TIMES.has(type.typeId)) return iso(String(value));
  if (type.typeId === T.INTERVAL) return String(value);
  if (type.typeId === T.DATE && Math.abs(value.days) === 2147483647)
    return value.days < 0 ? '-infinity' : 'infinity';
  return JsonDuckDBValueConverter(value, type, converter);
}

class Unbound extends Error {}

function bind(prepared) {
  const { params } = request;
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const name = prepared.parameterName(index);
    const key = Array.isArray(params) ? Number(name) - 1 : name;
    if (!Object.hasOwn(params, key))
      throw new Unbound(`neither "params" nor the args of the step have a value for $${name}`);
    const [kind, value] = params[key];
    if (kind === 'null') prepared.bindNull(index);
    else if (kind === 'int') bindInt(prepared, index, BigInt(value));
    else if (kind === 'float') prepared.bindDouble(index, value);
    else if (kind === 'boolean') prepared.bindBoolean(index, value);
    else prepared.bindVarchar(index, value);
  }
}

function bindInt(prepared, index, value) {
  if (BigInt.asIntN(64, value) === value) prepared.bindBigInt(index, value);
  else if (BigInt.asIntN(128, value) === value) prepared.bindHugeInt(index, value);
  else prepared.bindVarchar(index, String(value));
}

/** A map has one value per name: of a row such as (1, 2), whose fields have no names, only the last would remain. */
function refuseNameless({ kind, children = [] }, column) {
  const names = new Set(children.map((child) => child.name));
  if (kind === 'struct' && names.size < children.length)
    throw new Error(
      'Invalid Input Error: the fields of the struct in "' +
        column +
        "\" have no distinct names; name them, as in {'a': 1, 'b': 2}, or cast it to VARCHAR",
    );
  for (const child of children) refuseNameless(child, column);
}

async function one(prepared, isLast) {
  bind(prepared);
  const result = await prepared.stream();
  const columns = result.deduplicatedColumnNames();
  // 2: the number of changed rows; 3: rows.
  const gives = result.returnType === 3;
  if (isLast) say({ columns: gives ? columns : [] });
  const json = columns.flatMap((_, index) =>
    result.columnLogicalType(index).alias === 'JSON' ? [index] : [],
  );
  const fields = columns.map((name, index) => fieldOf(name, result.columnType(index)));
  if (isLast && gives) for (const field of fields) refuseNameless(field, field.name);
  const rowBytes = columns.reduce((sum, name) => sum + name.length + 4, 2);
  let count = 0;
  let size = 0;
  /** The chunks sent as rows so far. Undefined: everything is sent as batches. */
  let kept = isLast && gives ? [] : undefined;
  for (
    let chunk = await result.fetchChunk();
    chunk && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    count += chunk.rowCount;
    if (!isLast || !gives) continue;
    if (kept !== undefined) {
      const rows = chunk.convertRows(convert);
      const text = encode({ rows, ...(json.length > 0 ? { json } : {}) });
      size += text.length + rowBytes * rows.length;
      kept.push(chunk);
      if (size <= request.inlineMaxBytes) {
        writeAll(4, Buffer.from(`${text}\n`));
        continue;
      }
      say({ table: fields });
      for (const each of kept) sendBatch(fields, result.columnTypes(), each);
      kept = undefined;
    } else sendBatch(fields, result.columnTypes(), chunk);
  }
  return gives ? count : result.rowsChanged;
}

function csvField(value) {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : encode(value);
  return `"${text.replaceAll('"', '""')}"`;
}

/** For a transfer: any type as text that both Postgres and DuckDB read. */
function plain(value, type) {
  if (value === null) return null;
  if (type.typeId === T.BLOB) return `\\x${Buffer.from(value.bytes).toString('hex')}`;
  const nested = [T.LIST, T.ARRAY, T.STRUCT, T.MAP, T.UNION].includes(type.typeId);
  return nested ? JsonDuckDBValueConverter(value, type, convert) : String(value);
}

function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

async function unload(connection) {
  const result = await connection.stream(request.unload);
  const names = result.deduplicatedColumnNames();
  const types = names.map(
    (_, index) => result.columnLogicalType(index).alias || String(result.columnType(index)),
  );
  say({ described: names.map((name, index) => ({ name, type: types[index] })) });
  for await (const rows of result.yieldConvertedRows(plain)) {
    writeAll(1, Buffer.from(rows.map((row) => `${row.map(csvField).join(',')}\n`).join('')));
  }
}

function readExactly(size) {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    let read;
    try {
      read = fs.readSync(0, bytes, at, size - at);
    } catch (error) {
      if (error.code === 'EAGAIN') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        continue;
      }
      throw error;
    }
    if (read === 0) throw new Error('the chunks are incomplete');
    at += read;
  }
  return bytes;
}

/** Chunks arrive on standard input: two lengths, the statements as JSON, then the data that they read. */
async function load(connection) {
  const { file, progress } = request.load;
  say({ ready: progress ? (await (await connection.run(progress)).convertRows(convert))[0] || [] : [] });
  for (;;) {
    const lengths = readExactly(8);
    const statements = JSON.parse(readExactly(lengths.readUInt32BE(0)).toString('utf8'));
    if (statements === null) return;
    fs.writeFileSync(file, readExactly(lengths.readUInt32BE(4)));
    for (const statement of statements) await connection.run(statement);
    say({ loaded: true });
  }
}

async function main() {
  let at = 0;
  let of = 0;
  try {
    const instance = await DuckDBInstance.create(request.database, request.settings);
    const connection = await instance.connect();
    for (const statement of request.before) await connection.run(statement);
    for (const table of request.tables || []) await bringTable(connection, table);
    if (request.unload) await unload(connection);
    if (request.load) await load(connection);
    const statements = request.sql === '' ? undefined : await connection.extractStatements(request.sql);
    of = statements ? statements.count : 0;
    let count = 0;
    if (request.together && of > 1) await connection.run('BEGIN');
    for (at = 0; at < of; at++) count = await one(await statements.prepare(at), at === of - 1);
    if (request.together && of > 1) await connection.run('COMMIT');
    connection.closeSync();
    instance.closeSync();
    say({ done: { count, statements: of } });
  } catch (error) {
    const kind = error instanceof Unbound ? 'schema' : 'duckdb';
    say({ error: { kind, message: String(error?.message || error), at: at + 1, of } });
  }
  process.exit(0);
}
