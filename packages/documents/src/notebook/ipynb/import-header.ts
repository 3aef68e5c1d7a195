/** The header of a notebook that comes from Jupyter, and which parts of the file's metadata go into it. */
import { DEFAULT_LANGUAGE, encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { headerText } from '../header-text.ts';
import { parseNotebook } from '../parse.ts';
import { sameJson } from '../same-json.ts';
import { defaultMetadata, HEADER_KEY, type KeptOfFile } from './ipynb-metadata.ts';
import { KERNEL_KEYS, splitTransient } from './transient-metadata.ts';

/** More than this would make reading the header slow; it goes to the sidecar. */
const MAX_KEPT = 1024 * 1024;

export interface ImportedHeader {
  version: string;
  header: JsonObject | string;
  outside: Map<number, string>;
  /** What is too large for a header. */
  aside?: JsonObject;
  /** What Jupyter recorded about its kernel when it ran an exported notebook. */
  kernel?: JsonObject;
}

/** What an export wrote about the notebook; undefined in files of other programs. */
export interface Ours {
  header: JsonObject;
  headerText: Json | undefined;
  version: string;
  outside: Map<number, string>;
  /** Ids in the order of the notebook, if the file has a different order. */
  order: readonly Json[];
}

export function oursOf({ woof, woofnb }: JsonObject): Ours | undefined {
  const ours = [woof, woofnb].find((each) => isObject(each) && isObject(each.header));
  if (!isObject(ours) || !isObject(ours.header)) return undefined;
  const { header, header_text: headerText, version, outside, order } = ours;
  return {
    header,
    headerText,
    version: typeof version === 'string' && /^1\.\d{1,6}$/.test(version) ? version : '1.0',
    outside: readOutside(outside),
    order: Array.isArray(order) ? order : [],
  };
}

export function importHeader(
  metadata: JsonObject,
  kept: KeptOfFile,
  { name, ours }: { name: string; ours: Ours | undefined },
): ImportedHeader {
  if (ours === undefined) {
    const origin = originOf(metadata, name);
    return { version: '1.0', outside: new Map(), ...withKept(origin, { origin, metadata, ...kept }) };
  }
  const { header, version, outside } = ours;
  const { woof: _woof, woofnb: _woofnb, ...rest } = metadata;
  const { transient: kernel, rest: others } = splitTransient(rest, KERNEL_KEYS);
  if (Object.keys({ ...others, ...kept }).length > 0 || Object.keys(rest).length === 0) {
    return { version, outside, ...withKept(header, { metadata: rest, ...kept }) };
  }
  const text = sameText(ours.headerText, header) ?? header;
  const isDefault = sameJson(kernel, defaultMetadata(languageIn(header)));
  return { version, outside, header: text, ...(isDefault ? {} : { kernel }) };
}

const languageIn = ({ language }: JsonObject) => (typeof language === 'string' ? language : DEFAULT_LANGUAGE);

function originOf(metadata: JsonObject, name: string): JsonObject {
  const named = [metadata.title, metadata.name].find(
    (each) => typeof each === 'string' && each.trim() !== '',
  );
  return { name: named ?? name, language: languageOf(metadata) };
}

export function languageOf({ language_info: info, kernelspec: kernel, language }: JsonObject): string {
  const said = [isObject(info) ? info.name : '', isObject(kernel) ? kernel.language : '', language];
  const word = said.find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof word === 'string' ? word.toLowerCase() : DEFAULT_LANGUAGE;
}

function withKept(header: JsonObject, kept: KeptOfFile): Pick<ImportedHeader, 'header' | 'aside'> {
  const plain = Object.fromEntries(
    Object.entries(kept).filter(([, value]) => value !== undefined),
  ) as JsonObject;
  const metadata = isObject(header.metadata) ? header.metadata : {};
  const asText = encodeJson(plain);
  if (asText.length > MAX_KEPT) return { header, aside: plain };
  const full = { ...header, metadata: { ...metadata, [HEADER_KEY]: plain } };
  if (headerText(full) !== undefined) return { header: full };
  return { header: { ...header, metadata: { ...metadata, [HEADER_KEY]: asText } } };
}

/** The header's own text, with its comments, if it still says the same. */
function sameText(text: Json | undefined, header: JsonObject): string | undefined {
  if (typeof text !== 'string') return undefined;
  const { notebook, diagnostics } = parseNotebook(`%WOOFNB 1.0\n${text}\n`);
  const isWhole = notebook.cells.length === 0 && notebook.tail === '' && diagnostics.length <= 1;
  return isWhole && sameJson(notebook.header.data, header) ? text : undefined;
}

function readOutside(value: Json | undefined): Map<number, string> {
  const pairs = Array.isArray(value) ? value : [];
  return new Map(
    pairs.flatMap((pair) => {
      const [index, text] = Array.isArray(pair) ? pair : [];
      return typeof index === 'number' && typeof text === 'string' && isOutside(text) ? [[index, text]] : [];
    }),
  );
}

/** Whether the text is still text when it is between cells. */
function isOutside(text: string): boolean {
  return text.trim() !== '' && parseNotebook(`%WOOFNB 1.0\n\`\`\`\n${text}\n`).notebook.cells.length === 0;
}
