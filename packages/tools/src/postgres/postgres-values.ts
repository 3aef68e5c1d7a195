/**
 * Values between JSON and Postgres, both ways as text, so that nothing is rounded.
 *
 * Ints of any size are exact. A numeric with a fraction becomes a float if the float prints the same number, otherwise
 * text. NaN and infinities are null. Times become ISO 8601 with all their digits. bytea stays `\x…`, which can be bound
 * again. Text that is bound to json is already JSON.
 */
import { decimalNumber, decodeJson, encodeJson, Float, floatOrNull, type Json, makeInt } from '@woof/net';

type Parse = (text: string) => Json;

const SCALARS: [oid: number, array: number, parse: Parse | undefined][] = [
  [16, 1000, (text) => text === 't'],
  [17, 1001, undefined],
  [19, 1003, undefined],
  [20, 1016, int],
  [21, 1005, Number],
  [23, 1007, Number],
  [25, 1009, undefined],
  [26, 1028, Number],
  [114, 199, (text) => decodeJson(text)],
  [700, 1021, float],
  [701, 1022, float],
  [869, 1041, undefined],
  [650, 651, undefined],
  [1042, 1014, undefined],
  [1043, 1015, undefined],
  [1082, 1182, undefined],
  [1083, 1183, undefined],
  [1114, 1115, isoTime],
  [1184, 1185, isoTime],
  [1186, 1187, undefined],
  [1266, 1270, undefined],
  [1700, 1231, decimalNumber],
  [2950, 2951, undefined],
  [3802, 3807, (text) => decodeJson(text)],
];

const INTS: ReadonlySet<number> = new Set([20, 21, 23, 26]);

export interface ValueType {
  to: number;
  from: number[];
  parse: Parse;
  serialize: (value: unknown) => string;
}

/** The conversions that the client calls per type. Values of other types pass as text. */
export function valueTypes(): Record<string, ValueType> {
  const types: Record<string, ValueType> = {};
  for (const [oid, array, parse = asIs] of SCALARS) {
    const json = oid === 114 || oid === 3802;
    const text = INTS.has(oid) ? intText : parameterText;
    types[`t${oid}`] = { to: oid, from: [oid], parse, serialize: text };
    types[`t${array}`] = {
      to: array,
      from: [array],
      parse: (text) => parseArray(text, parse),
      serialize: (value) =>
        Array.isArray(value) ? arrayText(value as Json[], json, text) : parameterText(value),
    };
  }
  return types;
}

const TYPES = valueTypes();

/** The text of a value for a column of this type. */
export function columnText(value: unknown, type: number): string {
  return (TYPES[`t${type}`]?.serialize ?? parameterText)(value);
}

/** The text of a value if the server does not expect an array. */
function parameterText(value: unknown): string {
  return typeof value === 'object' && value !== null ? encodeJson(value) : String(value);
}

function asIs(text: string): string {
  return text;
}

function int(text: string): Json {
  return makeInt(BigInt(text));
}

function float(text: string): Json {
  return floatOrNull(Number(text));
}

/** A column of ints accepts 1.0, as Postgres itself casts it on assignment. */
function intText(value: unknown): string {
  return value instanceof Float ? String(BigInt(value.value)) : parameterText(value);
}

/** `2024-01-31 10:00:00.123456+02` → `2024-01-31T10:00:00.123456+02:00`; infinity and years BC stay unchanged. */
function isoTime(text: string): Json {
  const parts = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(:\d\d)?)?$/.exec(text);
  if (!parts) return text;
  const [, date, time, hours, minutes] = parts;
  return `${date}T${time}${hours === undefined ? '' : `${hours}${minutes ?? ':00'}`}`;
}

function arrayText(values: Json[], json: boolean, text: (value: unknown) => string): string {
  const element = (value: Json): string => {
    if (value === null) return 'NULL';
    if (Array.isArray(value) && !json) return arrayText(value, json, text);
    return `"${text(value).replace(/["\\]/g, '\\$&')}"`;
  };
  return `{${values.map(element).join(',')}}`;
}

const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^{},"]+)|([{},])/gs;

/** `{1,NULL,{"a b"}}`; bounds before it, such as `[2:3]=`, are ignored. */
function parseArray(text: string, parse: Parse): Json {
  const root: Json[] = [];
  const open: Json[][] = [root];
  for (const [, quoted, bare, mark] of text.replace(/^[^{]*=/, '').matchAll(ELEMENT)) {
    const list = open.at(-1) ?? root;
    if (mark === '{') {
      const inner: Json[] = [];
      list.push(inner);
      open.push(inner);
    } else if (mark === '}') open.pop();
    else if (quoted !== undefined) list.push(parse(quoted.replace(/\\(.)/gs, '$1')));
    else if (bare !== undefined) list.push(bare === 'NULL' ? null : parse(bare));
  }
  return root[0] ?? [];
}
