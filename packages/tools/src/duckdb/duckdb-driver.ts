/**
 * The program that runs beside DuckDB in a process of its own, behind the boundary of the sandbox.
 *
 * One request comes as JSON by descriptor 3; answers go as lines of JSON to descriptor 4: `columns`, any number of `rows`,
 * then `done` or `error`. Its standard input and output are free for SQL that reads or writes them.
 */
export const DUCKDB_DRIVER = String.raw`
'use strict';
const fs = require('node:fs');
const request = JSON.parse(fs.readFileSync(3, 'utf8'));
const { DuckDBInstance, DuckDBTypeId: T, JsonDuckDBValueConverter } = require(request.library);

function say(message) {
  const bytes = Buffer.from(JSON.stringify(message) + '\n');
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(4, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

const WIDE = new Set([T.BIGINT, T.UBIGINT, T.HUGEINT, T.UHUGEINT, T.DECIMAL, T.BIGNUM]);
const TIMES = new Set([T.TIMESTAMP, T.TIMESTAMP_S, T.TIMESTAMP_MS, T.TIMESTAMP_NS, T.TIMESTAMP_TZ]);

function exact(text) {
  const digits = text.replace(/^-?0*\.?0*|\./g, '');
  const number = Number(text);
  return digits.length <= 15 || Number.isSafeInteger(number) && String(number) === text ? number : text;
}

function iso(text) {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d)?)?$/.exec(text);
  return parts ? parts[1] + 'T' + parts[2] + (parts[3] ? parts[3] + (parts[4] || ':00') : '') : text;
}

function convert(value, type, converter) {
  if (value === null) return null;
  if (WIDE.has(type.typeId)) return exact(String(value));
  if (TIMES.has(type.typeId)) return iso(String(value));
  if (type.typeId === T.INTERVAL) return String(value);
  return JsonDuckDBValueConverter(value, type, converter);
}

function bindable(value) {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

class Unbound extends Error {}

function bind(prepared) {
  const { params } = request;
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const name = prepared.parameterName(index);
    const key = Array.isArray(params) ? Number(name) - 1 : name;
    if (params === null || !Object.hasOwn(params, key)) throw new Unbound('"params" has no value for $' + name);
    const value = bindable(params[key]);
    if (value === null) prepared.bindNull(index);
    else if (typeof value === 'bigint') prepared.bindBigInt(index, value);
    else if (typeof value === 'number') prepared.bindDouble(index, value);
    else if (typeof value === 'boolean') prepared.bindBoolean(index, value);
    else prepared.bindVarchar(index, value);
  }
}

async function one(prepared, isLast) {
  bind(prepared);
  const result = await prepared.stream();
  const columns = result.deduplicatedColumnNames();
  // 2: the number of rows that it changed; 3: rows.
  const gives = result.returnType === 3;
  if (isLast) say({ columns: gives ? columns : [] });
  const json = columns.flatMap((_, index) => (result.columnLogicalType(index).alias === 'JSON' ? [index] : []));
  let count = 0;
  for await (const rows of result.yieldConvertedRows(convert)) {
    count += rows.length;
    for (const index of json) for (const row of rows) row[index] = row[index] === null ? null : JSON.parse(row[index]);
    if (isLast && gives) say({ rows });
  }
  return gives ? count : result.rowsChanged;
}

async function main() {
  let at = 0;
  let of = 0;
  try {
    const instance = await DuckDBInstance.create(request.database, request.settings);
    const connection = await instance.connect();
    for (const statement of request.before) await connection.run(statement);
    const statements = await connection.extractStatements(request.sql);
    of = statements.count;
    let count = 0;
    if (request.together && of > 1) await connection.run('BEGIN');
    for (at = 0; at < of; at++) count = await one(await statements.prepare(at), at === of - 1);
    if (request.together && of > 1) await connection.run('COMMIT');
    connection.closeSync();
    instance.closeSync();
    say({ done: { count, statements: of } });
  } catch (error) {
    const kind = error instanceof Unbound ? 'schema' : 'duckdb';
    say({ error: { kind, message: String(error && error.message || error), at: at + 1, of } });
  }
  process.exit(0);
}
void main();
`;
