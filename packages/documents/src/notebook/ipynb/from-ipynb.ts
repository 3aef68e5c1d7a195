/**
 * Converts a Jupyter notebook to a Woof notebook and the lines of its sidecar. Owns: reading files that may contain
 * anything.
 *
 * Invariants: never throws; nothing of a valid file is lost (see `ipynb-metadata.ts` for where it goes); ids are valid
 * and unique.
 */
import {
  canonicalLanguage,
  type Diagnostic,
  decodeFinite,
  decodeJson,
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
} from '@woof/net';
import { plainJsonError } from '../../yaml/syntax-words.ts';
import { notebookProblems as problems } from '../diagnostics.ts';
import { printNotebook } from '../notebook.ts';
import { type CellParts, notebookOf } from '../notebook-of.ts';
import { printSidecarLine, type SidecarEntry } from '../sidecar.ts';
import { importHeader, languageOf, oursOf } from './import-header.ts';
import { importCells } from './ipynb-cells.ts';
import { HEADER_KEY, type KeptOfFile, WITH_IDS } from './ipynb-metadata.ts';
import { upgradeV3 } from './ipynb-v3.ts';
import { withoutMade } from './made-cells.ts';
import { FILE_KEYS, splitTransient, type Transient } from './transient-metadata.ts';

const MAX_DEPTH = 150;
const AT = { line: 1, column: 1, endColumn: 2 };

export interface ImportOptions {
  /** The notebook's name if the file has none. */
  name?: string;
  /** For the sidecar's lines: when the file was saved, because Jupyter does not record when a cell ran. */
  timestamp?: string;
}

export interface ImportedNotebook {
  /** Absent if a diagnostic is an error. */
  text?: string;
  sidecar: string;
  diagnostics: Diagnostic[];
}

/** Takes the file's text, or the JSON that was read from it. */
export function fromIpynb(file: unknown, options: ImportOptions = {}): ImportedNotebook {
  const read = readFile(file);
  if ('code' in read) return { sidecar: '', diagnostics: [read] };
  const { cells: found, metadata: given, nbformat: major, nbformat_minor: minor, ...extra } = read.file;
  const timestamp = options.timestamp ?? '1970-01-01T00:00:00.000Z';
  const { rest: metadata, transient: ofFile } = splitTransient(isObject(given) ? given : {}, FILE_KEYS);
  const told = oursOf(metadata);
  const { cells: own, ours } = withoutMade(found as Json[], told);
  const language = canonicalLanguage(languageOf(told?.header ?? metadata));
  const { cells, entries, diagnostics, transient } = importCells(own, { timestamp, language });
  if (given !== undefined && !isObject(given)) {
    diagnostics.push(problems.ipynbPart(AT, 'metadata', 'an object', 'Woof leaves it out'));
  }
  if (read.hasNotFinite)
    diagnostics.push(problems.ipynbPart(AT, 'a number', 'finite', 'Woof reads NaN and infinities as null'));
  const kept: KeptOfFile = {
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
    ...(major === 4 && isKeptMinor(minor, own) ? { minor } : {}),
  };
  const header = importHeader(metadata, kept, { name: options.name ?? 'notebook', ours });
  const notebook = notebookOf({ ...header, cells: inOrder(cells, ours?.order ?? []) });
  if (!notebook) {
    return { sidecar: '', diagnostics: [problems.ipynbShape(AT, 'metadata', 'values that YAML can hold')] };
  }
  const metadataOfFile = { ...ofFile, ...header.kernel };
  const line = notebookLine(timestamp, header.aside, { metadata: metadataOfFile, cells: transient });
  const sidecar = [...line, ...entries].map(printSidecarLine).join('');
  return { text: printNotebook(notebook), sidecar, diagnostics };
}

/** Versions before 4.5 have no ids. */
function isKeptMinor(minor: Json | undefined, cells: readonly Json[]): minor is number {
  if (!Number.isInteger(minor)) return false;
  const hasIds = cells.some((cell) => isObject(cell) && cell.id !== undefined);
  return Number(minor) < WITH_IDS
    ? Number(minor) >= 0 && !hasIds
    : minor !== WITH_IDS && Number(minor) < 1000;
}

/** A cell that the list does not name stays after the one before it. */
function inOrder(cells: readonly CellParts[], order: readonly Json[]): readonly CellParts[] {
  if (order.length === 0) return cells;
  const places = new Map(order.map((id, index) => [id, index]));
  let last = -1;
  const placed = cells.map((cell) => {
    last = places.get(new Map(cell.tokens).get('id') ?? '') ?? last;
    return { cell, place: last };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ cell }) => cell);
}

/** The sidecar's line for what belongs to no cell; empty if there is nothing to record. */
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

interface ReadFile {
  file: JsonObject;
  /** It has numbers that are not JSON's, or too large for any program. */
  hasNotFinite: boolean;
}

function readFile(value: unknown): ReadFile | Diagnostic {
  let file = value;
  let hasNotFinite = false;
  if (typeof value === 'string') {
    const text = value.replace(/^\uFEFF/, '');
    try {
      ({ file, hasNotFinite } = decodeEither(text));
    } catch (problem) {
      return problems.ipynbSyntax(AT, plainJsonError((problem as Error).message));
    }
  }
  if (!isObject(file)) return problems.ipynbShape(AT, 'the file', 'an object');
  if (isDeeper(file, MAX_DEPTH)) return problems.ipynbTooDeep(AT, MAX_DEPTH);
  const version = file.nbformat ?? (Array.isArray(file.worksheets) ? 3 : 4);
  if (version !== 3 && version !== 4) return problems.ipynbVersion(AT, encodeJson(version).slice(0, 40));
  const current = version === 3 ? upgradeV3(file) : file;
  if (!Array.isArray(current.cells)) return problems.ipynbShape(AT, 'cells', 'a list');
  return { file: current, hasNotFinite };
}

function decodeEither(text: string): { file: unknown; hasNotFinite: boolean } {
  try {
    return { file: decodeFinite(text), hasNotFinite: false };
  } catch {
    return { file: decodeJson(text), hasNotFinite: true };
  }
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
