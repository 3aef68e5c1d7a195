/**
 * JSON to the YAML of a header. Owns: that reading the text gives the same values, and that no line of it can be taken
 * for a fence. Values that plain YAML cannot hold that way are written as JSON, which is YAML too.
 */
import { encodeJson, Float, isObject, type Json, type JsonObject } from '@woof/net';
import { Scalar, stringify } from 'yaml';
import { parseYaml } from '../yaml/parse.ts';
import { toJson } from '../yaml/tree.ts';

/** Lines without a line break at the end; `undefined` if no YAML can hold the values. */
export function headerText(data: JsonObject): string | undefined {
  const lines = Object.entries(data).map(([key, value]) => entryText(Object.fromEntries([[key, value]])));
  return lines.includes(undefined) ? undefined : lines.join('\n');
}

function entryText(entry: JsonObject): string | undefined {
  return [blockText(entry), flowText(entry)].find((text) => readsAs(text, entry));
}

function blockText(entry: JsonObject): string {
  const options = { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: 1e9 };
  return stringify(forYaml(entry), options).trimEnd();
}

/** The library must be told that 1.0 is a float. */
function forYaml(value: Json): unknown {
  if (value instanceof Float) return Object.assign(new Scalar(value.value), { minFractionDigits: 1 });
  if (Array.isArray(value)) return value.map(forYaml);
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, forYaml(item)]));
}

function flowText(entry: JsonObject): string {
  const [[key, value]] = Object.entries(entry) as [[string, unknown]];
  return `${encodeJson(key)}: ${encodeJson(value)}`;
}

function readsAs(text: string, entry: JsonObject): boolean {
  if (/^\s*```/m.test(text)) return false;
  const { root } = parseYaml(`${text}\n`);
  return root !== undefined && encodeJson(toJson(root)) === encodeJson(entry);
}
