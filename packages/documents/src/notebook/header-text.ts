/**
 * JSON to the YAML of a header. Owns: that reading the text gives the same values, and that no line of it can be taken
 * for a fence. Values that plain YAML cannot hold so are written as JSON, which is YAML too.
 */
import type { JsonObject } from '@woof/net';
import { stringify } from 'yaml';
import { parseYaml } from '../yaml/parse.ts';
import { toJson } from '../yaml/tree.ts';

/** Lines without a line break at the end; `undefined` where no YAML can hold the values. */
export function headerText(data: JsonObject): string | undefined {
  const lines = Object.entries(data).map(([key, value]) => entryText(Object.fromEntries([[key, value]])));
  return lines.includes(undefined) ? undefined : lines.join('\n');
}

function entryText(entry: JsonObject): string | undefined {
  return [blockText(entry), flowText(entry)].find((text) => readsAs(text, entry));
}

function blockText(entry: JsonObject): string {
  const options = { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: 1e9 };
  return stringify(entry, options).trimEnd();
}

function flowText(entry: JsonObject): string {
  const [[key, value]] = Object.entries(entry) as [[string, unknown]];
  return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

function readsAs(text: string, entry: JsonObject): boolean {
  if (/^\s*```/m.test(text)) return false;
  const { root } = parseYaml(`${text}\n`);
  return root !== undefined && JSON.stringify(toJson(root)) === JSON.stringify(entry);
}
