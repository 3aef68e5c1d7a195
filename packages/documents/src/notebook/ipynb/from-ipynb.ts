/**
 * A Jupyter notebook as a notebook of ours and the lines of its sidecar. Owns: reading files that may hold anything.
 *
 * Invariants: never throws; nothing of a valid file is lost (see `ipynb-metadata.ts` for where it goes); ids are valid
 * and unique.
 */
import { type Diagnostic, decodeJson, encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { notebookProblems as problems } from '../diagnostics.ts';
import { headerText } from '../header-text.ts';
import { printNotebook } from '../notebook.ts';
import { notebookOf } from '../notebook-of.ts';
import { parseNotebook } from '../parse.ts';
import { sameJson } from '../same-json.ts';
import { printSidecarLine, type SidecarEntry } from '../sidecar.ts';
import { importCells } from './ipynb-cells.ts';
import { defaultMetadata, HEADER_KEY, type KeptOfFile } from './ipynb-metadata.ts';
import { upgradeV3 } from './ipynb-v3.ts';
import { FILE_KEYS, splitTransient, type Transient } from './transient-metadata.ts';

const MAX_DEPTH = 150;
/** More than this in a header would make reading it slow; it goes to the sidecar. */
const MAX_KEPT = 1024 * 1024;
const AT = { line: 1, column: 1, endColumn: 2 };

export interface ImportOptions {
  /** The notebook's name where the file says none. */
  name?: string;
  /** For the sidecar's lines; Jupyter does not say when a cell ran. */
  timestamp?: string;
}

export interface ImportedNotebook {
  /** Absent where a diagnostic is an error. */
  text?: string;
  sidecar: string;
  diagnostics: Diagnostic[];
}

/** Takes the file's text, or the JSON that was read from it. */
export function fromIpynb(file: unknown, options: ImportOptions = {}): ImportedNotebook {
  const read = readFile(file);
  if ('code' in read) return { sidecar: '', diagnostics: [read] };
  const { cells: found, metadata: given, nbformat: _major, nbformat_minor: minor, ...extra } = read.file;
  const timestamp = options.timestamp ?? '1970-01-01T00:00:00.000Z';
  const { cells, entries, diagnostics, transient } = importCells(found as Json[], timestamp);
  if (given !== undefined && !isObject(given)) {
    diagnostics.push(problems.ipynbPart(AT, 'metadata', 'an object', 'it is left out'));
  }
  const { rest: metadata, transient: ofFile } = splitTransient(isObject(given) ? given : {}, FILE_KEYS);
  const kept: KeptOfFile = {
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
    ...(typeof minor === 'number' && minor > 5 && minor < 1000 ? { minor } : {}),
  };
  const header = importHeader(metadata, kept, options.name ?? 'notebook');
  const notebook = notebookOf({ ...header, cells });
  if (!notebook) {
    return { sidecar: '', diagnostics: [problems.ipynbShape(AT, 'metadata', 'values that YAML can hold')] };
  }
  const own = notebookLine(timestamp, header.aside, { metadata: ofFile, cells: transient });
  const sidecar = [...own, ...entries].map(printSidecarLine).join('');
  return { text: printNotebook(notebook), sidecar, diagnostics };
}

/** The sidecar's line for what stands in no cell's; none where there is nothing to say. */
function notebookLine(timestamp: string, aside: JsonObject | undefined, found: Transient): SidecarEntry[] {
  const transient = Object.fromEntries(
    Object.entries(found).filter(([, value]) => Object.keys(value).length > 0),
  );
  if (aside === undefined && Object.keys(transient).length === 0) return [];
  const line: SidecarEntry = { cell: '', timestamp, outputs: [] };
  if (aside) line[HEADER_KEY] = aside;
  if (Object.keys(transient).length > 0) line.transient = transient;
  return [line];
}

function readFile(value: unknown): { file: JsonObject } | Diagnostic {
  let file = value;
  if (typeof value === 'string') {
    try {
      file = decodeJson(value.replace(/^\uFEFF/, ''));
    } catch (problem) {
      return problems.ipynbSyntax(AT, (problem as Error).message.split('\n', 1)[0]!);
    }
  }
  if (!isObject(file)) return problems.ipynbShape(AT, 'the file', 'an object');
  if (isDeeper(file, MAX_DEPTH)) return problems.ipynbTooDeep(AT, MAX_DEPTH);
  const version = file.nbformat ?? (Array.isArray(file.worksheets) ? 3 : 4);
  if (version !== 3 && version !== 4) return problems.ipynbVersion(AT, encodeJson(version).slice(0, 40));
  const current = version === 3 ? upgradeV3(file) : file;
  return Array.isArray(current.cells) ? { file: current } : problems.ipynbShape(AT, 'cells', 'a list');
}

function isDeeper(root: unknown, limit: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const inner of Object.values(value))
        if (typeof inner === 'object' && inner !== null) next.push(inner);
    }
    level = next;
  }
  return false;
}

interface ImportedHeader {
  version: string;
  header: JsonObject | string;
  outside: Map<number, string>;
  /** What is too large for a header. */
  aside?: JsonObject;
}

function importHeader(metadata: JsonObject, kept: KeptOfFile, name: string): ImportedHeader {
  const { woof, woofnb, ...rest } = metadata;
  const ours = [woof, woofnb].find((each) => isObject(each) && isObject(each.header));
  if (!isObject(ours) || !isObject(ours.header)) {
    const origin = originOf(metadata, name);
    return { version: '1.0', outside: new Map(), ...withKept(origin, { origin, metadata, ...kept }) };
  }
  const { header } = ours;
  const version =
    typeof ours.version === 'string' && /^1\.\d{1,6}$/.test(ours.version) ? ours.version : '1.0';
  const outside = readOutside(ours.outside);
  const language = typeof header.language === 'string' ? header.language : 'python';
  if (sameJson(rest, defaultMetadata(language)) && Object.keys(kept).length === 0) {
    return { version, outside, header: sameText(ours.header_text, header) ?? header };
  }
  return { version, outside, ...withKept(header, { metadata: rest, ...kept }) };
}

function originOf(metadata: JsonObject, name: string): JsonObject {
  const named = [metadata.title, metadata.name].find(
    (each) => typeof each === 'string' && each.trim() !== '',
  );
  return { name: named ?? name, language: languageOf(metadata) };
}

function languageOf({ language_info: info, kernelspec: kernel, language }: JsonObject): string {
  const said = [isObject(info) ? info.name : '', isObject(kernel) ? kernel.language : '', language];
  const word = said.find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof word === 'string' ? word.toLowerCase() : 'python';
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

/** The header's own text, with its comments, where it still says the same. */
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

/** Text that, between cells, stays text. */
function isOutside(text: string): boolean {
  return text.trim() !== '' && parseNotebook(`%WOOFNB 1.0\n\`\`\`\n${text}\n`).notebook.cells.length === 0;
}
