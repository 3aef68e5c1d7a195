/** The cells of a Jupyter notebook: tokens, bodies, and the lines of the sidecar. */
import {
  type Diagnostic,
  encodeJson,
  isCellType,
  isObject,
  type Json,
  type JsonObject,
  plainNumber,
  traitsOf,
} from '@woof/net';
import { splitList } from '../cell.ts';
import { formOf, knownForms } from '../cell-forms.ts';
import { printToken } from '../cell-tokens.ts';
import { notebookProblems as problems } from '../diagnostics.ts';
import { syntaxOf } from '../languages.ts';
import type { CellParts } from '../notebook-of.ts';
import type { SidecarEntry } from '../sidecar.ts';
import { canonicalOrder, ID, TOKEN_KEYS } from '../vocabulary.ts';
import { type ReadCell, readForeign, readSource } from './cell-source.ts';
import { freeId } from './ipynb-ids.ts';
import { BODY_KEY, CELL_TOKEN, ORDER_KEY } from './ipynb-metadata.ts';
import { CELL_KEYS, splitTransient } from './transient-metadata.ts';

const AT = { line: 1, column: 1, endColumn: 2 };

export interface ImportedCells {
  cells: CellParts[];
  entries: SidecarEntry[];
  /** By cell, metadata that is not part of the source. */
  transient: JsonObject;
  diagnostics: Diagnostic[];
}

export interface ImportSetting {
  timestamp: string;
  /** The language of the notebook, in its canonical spelling. */
  language: string;
}

export function importCells(found: readonly Json[], setting: ImportSetting): ImportedCells {
  const importer = new CellImporter(found, setting);
  for (const [i, cell] of found.entries()) importer.add(cell, `cells[${i}]`);
  return importer.imported();
}

class CellImporter {
  readonly cells: CellParts[] = [];
  readonly entries: SidecarEntry[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #transient = new Map<string, JsonObject>();
  readonly #used = new Set<string>();
  /** Ids that cells already have, so that no id made here collides with them. */
  readonly #claimed: Set<string>;
  readonly #counts = new Map<string, number>();

  constructor(
    found: readonly Json[],
    readonly setting: ImportSetting,
  ) {
    this.#claimed = new Set(found.flatMap((cell) => (isObject(cell) ? claimedIds(cell) : [])));
  }

  imported(): ImportedCells {
    const { cells, entries, diagnostics } = this;
    return { cells, entries, diagnostics, transient: Object.fromEntries(this.#transient) };
  }

  add(cell: Json, part: string): void {
    if (!isObject(cell)) {
      this.#note(part, 'an object', 'Woof leaves it out');
      return;
    }
    const { cell_type, id, metadata, source, outputs, execution_count, attachments, ...extra } = cell;
    if (metadata !== undefined && !isObject(metadata))
      this.#note(`${part}.metadata`, 'an object', 'Woof leaves it out');
    const split = splitTransient(isObject(metadata) ? metadata : {}, CELL_KEYS);
    const { tokens, rest } = readMetadata(split.rest);
    const told = this.#type(cell_type, tokens.get('type'), part);
    const read = this.#read(told, this.#source(source, `${part}.source`), tokens, rest);
    const { type, lang, magic, body } = read;
    if (lang !== undefined) tokens.set('lang', lang);
    const own = this.#id([tokens.get('id'), id]);
    if (typeof id === 'string' && own !== id && own !== tokens.get('id'))
      this.#note(`${part}.id`, 'unique, without spaces', `Woof names the cell ${own}`);
    if (!isEmpty(split.transient)) this.#transient.set(own, split.transient);
    const isCode = traitsOf({ type }).isStep;
    const form = formOf({ type }).jupyter;
    const future = form === 'raw' && cell_type !== form ? { cell_type } : {};
    const others = isCode ? extra : { ...extra, ...present({ ...future, outputs, execution_count }) };
    const kept = present({
      metadata: isEmpty(rest) ? undefined : rest,
      attachments,
      extra: isEmpty(others) ? undefined : others,
      magic,
    });
    if (!isEmpty(kept)) tokens.set(CELL_TOKEN, encodeJson(kept));
    this.cells.push({ tokens: withOwn(tokens, own, type), body });
    if (isCode) this.#outputs(own, outputs, execution_count, `${part}.outputs`);
  }

  #note(part: string, expected: string, instead: string): void {
    this.diagnostics.push(problems.ipynbPart(AT, part, expected, instead));
  }

  #type(cellType: Json | undefined, told: string | undefined, part: string): string {
    const idle = IDLE.get(cellType);
    if (idle !== undefined) return idle;
    const isTold = told !== undefined && isCellType(told) && traitsOf({ type: told }).isStep;
    if (cellType === 'code') return isTold ? told : 'code';
    this.#note(`${part}.cell_type`, 'code, markdown or raw', 'Woof reads the cell as raw');
    return 'raw';
  }

  /** The source as a body; what an export put beside it is removed from the metadata. */
  #read(type: string, source: string, tokens: ReadonlyMap<string, string>, metadata: JsonObject): ReadCell {
    if (!traitsOf({ type }).isStep || !syntaxOf(this.setting.language).hasMagics)
      return { type, body: source };
    if (!tokens.has('type')) return readForeign(source);
    const [lang, id] = [tokens.get('lang'), tokens.get('id') ?? ''];
    const body = metadata[BODY_KEY];
    if (formOf({ type }).python) delete metadata[BODY_KEY];
    const isDisabled = tokens.get('disabled') === 'true';
    return readSource(source, { type, id, lang, isDisabled }, typeof body === 'string' ? body : undefined);
  }

  #id(wanted: readonly (Json | undefined)[]): string {
    const free = wanted.find((id) => typeof id === 'string' && ID.test(id) && !this.#used.has(id));
    const given = typeof free === 'string' ? free : freeId('cell', this.#claimed, this.#counts);
    this.#used.add(given);
    this.#claimed.add(given);
    return given;
  }

  #source(source: Json | undefined, part: string): string {
    if (typeof source === 'string') return source;
    if (Array.isArray(source) && source.every((line) => typeof line === 'string')) return source.join('');
    this.#note(part, 'text or a list of text', 'Woof leaves it out');
    return '';
  }

  #outputs(cell: string, outputs: Json | undefined, count: Json | undefined, part: string): void {
    if (outputs !== undefined && !Array.isArray(outputs)) this.#note(part, 'a list', 'Woof leaves it out');
    const list = Array.isArray(outputs) ? outputs : [];
    const sound = list.filter(isObject);
    if (sound.length < list.length) this.#note(part, 'a list of objects', 'Woof leaves the other items out');
    const execution_count = typeof count === 'number' ? count : undefined;
    if (sound.length === 0 && execution_count === undefined) return;
    const entry = { cell, timestamp: this.setting.timestamp, outputs: sound.map(withoutNoCount) };
    this.entries.push(execution_count === undefined ? entry : { ...entry, execution_count });
  }
}

/** By Jupyter's word, the type of cells that never run. */
const IDLE: ReadonlyMap<Json | undefined, string> = new Map(
  knownForms.filter(([type]) => !traitsOf({ type }).isStep).map(([type, { jupyter }]) => [jupyter, type]),
);

function claimedIds({ id, metadata }: JsonObject): string[] {
  const told = isObject(metadata) ? [metadata.woof, metadata.woofnb] : [];
  return [id, ...told.map((each) => (isObject(each) ? each.id : undefined))].filter(
    (each) => typeof each === 'string',
  );
}

/** The tokens in a cell's metadata, and the rest. */
function readMetadata(metadata: JsonObject): { tokens: Map<string, string>; rest: JsonObject } {
  const { woof, woofnb, ...others } = metadata;
  const tokens = new Map<string, string>();
  const leftOf = (ours: Json | undefined): Json | undefined => {
    if (!isObject(ours)) return ours;
    const left = Object.entries(ours).filter(([key, value]) => {
      const text = tokenText(value);
      if (text === undefined || key === CELL_TOKEN || printToken(key, text) === undefined) return true;
      if (!tokens.has(key)) tokens.set(key, text);
      return false;
    });
    return left.length === 0 ? undefined : Object.fromEntries(left);
  };
  const rest = present({ ...others, woof: leftOf(woof), woofnb: leftOf(woofnb) });
  const order = tokens.has('id') ? rest[ORDER_KEY] : undefined;
  if (order !== undefined) delete rest[ORDER_KEY];
  return takeTags(inOrder(tokens, Array.isArray(order) ? order : undefined), rest);
}

/** In the recorded order, else as they are; if they are sorted, Jupyter sorted them. */
function inOrder(
  tokens: ReadonlyMap<string, string>,
  told: readonly Json[] | undefined,
): Map<string, string> {
  const keys = [...tokens.keys()];
  const isSorted = keys.every((key, index) => index === 0 || keys[index - 1]! < key);
  const order = told?.filter((key) => typeof key === 'string') ?? (isSorted ? TOKEN_KEYS : []);
  return new Map(canonicalOrder([...tokens], order, ([key]) => key));
}

/** Jupyter's tags become our tags if a list with commas can hold them. */
function takeTags(
  tokens: Map<string, string>,
  rest: JsonObject,
): { tokens: Map<string, string>; rest: JsonObject } {
  const { tags, ...others } = rest;
  if (!Array.isArray(tags)) return { tokens, rest };
  const isSame = (value: string) => encodeJson(splitList(value)) === encodeJson(tags);
  const told = tokens.get('tags');
  if (told !== undefined && isSame(told)) return { tokens, rest: others };
  if (!tags.every((tag) => typeof tag === 'string' && tag !== '')) return { tokens, rest };
  const text = tags.join(',');
  if (!isSame(text) || printToken('tags', text) === undefined) return { tokens, rest };
  return { tokens: tokens.set('tags', text), rest: others };
}

function tokenText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (plainNumber(value) !== undefined || typeof value === 'boolean') return String(value);
  const isList =
    Array.isArray(value) && value.every((item) => typeof item === 'string' && !item.includes(','));
  return isList ? value.join(',') : undefined;
}

/** Tokens keep their order in the metadata; an id and a type that it did not have come first. */
function withOwn(tokens: ReadonlyMap<string, string>, id: string, type: string): [string, string][] {
  const first = new Map([
    ['id', id],
    ['type', type],
  ]);
  if (!tokens.has('id')) return [...new Map([...first, ...tokens, ...first])];
  return [...new Map([...tokens, ...first])];
}

function present(values: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

const isEmpty = (value: JsonObject) => Object.keys(value).length === 0;

/** An export adds `null` to every result that has no count. */
function withoutNoCount(output: JsonObject): JsonObject {
  if (output.output_type !== 'execute_result' || output.execution_count !== null) return output;
  const { execution_count: _none, ...rest } = output;
  return rest;
}
