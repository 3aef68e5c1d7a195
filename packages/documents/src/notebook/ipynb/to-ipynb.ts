/** A notebook as a Jupyter notebook of format 4.5, with the outputs of its sidecar. */
import { DEFAULT_LANGUAGE, isObject, type Json, type JsonObject, traitsOf } from '@woof/net';
import { type Cell, splitList } from '../cell.ts';
import { formOf } from '../cell-forms.ts';
import { notebookLanguage } from '../cell-language.ts';
import { syntaxOf } from '../languages.ts';
import { isStrayFence } from '../lint-structure.ts';
import type { Notebook } from '../notebook.ts';
import { runnableOrder } from '../runnable-order.ts';
import { sameJson } from '../same-json.ts';
import type { SidecarEntry } from '../sidecar.ts';
import { canonicalOrder, TOKEN_KEYS } from '../vocabulary.ts';
import { type CellKind, readForeign, sourceOf } from './cell-source.ts';
import { cellIds, freeId } from './ipynb-ids.ts';
import {
  BODY_KEY,
  CELL_TOKEN,
  defaultMetadata,
  type KeptOfFile,
  keptOfCell,
  keptOfFile,
  ORDER_KEY,
  ownHeader,
  WITH_IDS,
} from './ipynb-metadata.ts';
import { LOAD_R, type MadeCell, madeCells, markOf } from './made-cells.ts';
import {
  KERNEL_KEYS,
  splitTransient,
  transientOfCell,
  transientOfFile,
  withTransient,
} from './transient-metadata.ts';

const NBFORMAT = 4;

/** `outputs`: the latest entry of each cell; the file's own entry has the id ''. */
export function toIpynb(notebook: Notebook, outputs?: ReadonlyMap<string, SidecarEntry>): JsonObject {
  const line = outputs?.get('');
  const kept = keptOfFile(notebook) ?? sidecarKept(line);
  const hasMagics = syntaxOf(notebookLanguage(notebook)).hasMagics === true;
  const order = hasMagics ? runnableOrder(notebook) : notebook.cells;
  const ids = cellIds(order);
  const setting = { hasMagics, isImported: kept?.origin !== undefined };
  const cells = order.map((cell, i) => {
    const entry = outputs?.get(cell.id);
    const made = toCell(cell, ids[i]!, setting, entry);
    return { ...made, metadata: withTransient(made.metadata, transientOfCell(cell.id, line, entry)) };
  });
  const all: JsonObject[] = hasMagics ? withMade(notebook, order, cells) : cells;
  const minor = kept?.minor ?? WITH_IDS;
  const needsIds = minor >= WITH_IDS || all.length > cells.length || !areMade(ids);
  return {
    cells: needsIds ? all : all.map(({ id: _id, ...cell }) => cell),
    metadata: withTransient(fileMetadata(notebook, kept, { line, order }), transientOfFile(line)),
    nbformat: NBFORMAT,
    nbformat_minor: needsIds ? Math.max(WITH_IDS, minor) : minor,
    ...kept?.extra,
  };
}

/** Whether these are the ids that an import gives to cells without ids. */
const areMade = (ids: readonly string[]) => ids.every((id, index) => id === `cell-${index + 1}`);

/** Inserts, before the first cell that runs, what it and later cells need. */
function withMade(notebook: Notebook, order: readonly Cell[], cells: readonly JsonObject[]): JsonObject[] {
  const taken = new Set(cells.map(({ id }) => String(id)));
  const needed = [...bindings(notebook, order), ...(needsR(cells) ? [LOAD_R] : [])];
  const made = needed.map((cell) => ({
    cell_type: 'code',
    execution_count: null,
    id: freeId(cell.id, taken, new Map()),
    metadata: markOf(cell),
    outputs: [],
    source: splitLines(cell.source),
  }));
  const first = order.findIndex((cell) => traitsOf(cell).isStep);
  return cells.toSpliced(first === -1 ? cells.length : first, 0, ...made);
}

/** For parameters and data, if there are any. */
function bindings({ header: { parameters } }: Notebook, order: readonly Cell[]): MadeCell[] {
  const isNeeded = Object.keys(parameters).length > 0 || order.some((cell) => traitsOf(cell).isValue);
  return isNeeded ? madeCells(parameters) : [];
}

/** A cell that was written in Jupyter, which has no Woof tokens, is in a notebook that loads R itself. */
function needsR(cells: readonly JsonObject[]): boolean {
  return cells.some(({ metadata, source }) => {
    const isOurs = isObject(metadata) && isObject(metadata.woof);
    return isOurs && /^%%R\b/.test([source ?? ''].flat().join(''));
  });
}

function sidecarKept(entry: SidecarEntry | undefined): KeptOfFile | undefined {
  const kept = entry?.jupyter;
  return typeof kept === 'object' && kept !== null ? (kept as KeptOfFile) : undefined;
}

interface FileSetting {
  line: SidecarEntry | undefined;
  order: readonly Cell[];
}

function fileMetadata(
  notebook: Notebook,
  kept: KeptOfFile | undefined,
  { line, order }: FileSetting,
): JsonObject {
  const header = ownHeader(notebook);
  const base = kept?.metadata ?? (kept?.origin ? {} : kernelMetadata(notebook, transientOfFile(line)));
  const outside = outsideTexts(notebook);
  const isMoved = order.some((cell, index) => cell !== notebook.cells[index]);
  if (kept?.origin && sameJson(kept.origin, header) && outside.length === 0 && !isMoved) return base;
  const { major, minor } = notebook.magic?.version ?? { major: 1, minor: 0 };
  const woof = {
    version: `${major}.${minor}`,
    header,
    ...(kept ? {} : { header_text: notebook.headerText.trimEnd() }),
    ...(outside.length === 0 ? {} : { outside }),
    ...(isMoved ? { order: notebook.cells.map(({ id }) => id) } : {}),
  };
  return { ...base, woof };
}

/** As Jupyter recorded it when it last ran the notebook, unless the language has changed. */
function kernelMetadata(
  { header: { language = DEFAULT_LANGUAGE } }: Notebook,
  noted: JsonObject,
): JsonObject {
  const usual = defaultMetadata(language);
  const { transient: kernel } = splitTransient(noted, KERNEL_KEYS);
  const info = kernel.language_info;
  return isObject(info) && info.name === language ? { ...usual, ...kernel } : usual;
}

/** Texts between cells, with the index of the cell after each. */
function outsideTexts(notebook: Notebook): Json[] {
  const texts = [...notebook.cells.map((cell) => cell.before), notebook.tail];
  return texts.flatMap((text, index) =>
    text.trim() === '' || isStrayFence(text) ? [] : [[index, trimLines(text)]],
  );
}

function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

interface CellSetting {
  hasMagics: boolean;
  isImported: boolean;
}

function toCell(
  cell: Cell,
  id: string,
  { hasMagics, isImported }: CellSetting,
  entry: SidecarEntry | undefined,
): JsonObject & { metadata: JsonObject } {
  const kept = keptOfCell(cell.get(CELL_TOKEN));
  const type = formOf(cell).jupyter;
  const { source, body } = hasMagics ? sourceOf(kindOf(cell), kept.magic) : { source: cell.body };
  const woof = isImported && isPlain(cell, id, hasMagics ? source : undefined) ? undefined : woofTokens(cell);
  const tags = cell.token('tags');
  const metadata = {
    ...(tags ? { tags: splitList(tags.value) } : {}),
    ...kept.metadata,
    ...(woof ? { woof: { ...objectOr(kept.metadata?.woof), ...woof } } : {}),
    ...(body === undefined ? {} : { [BODY_KEY]: body }),
    ...(woof && !isCanonical(Object.keys(woof)) ? { [ORDER_KEY]: Object.keys(woof) } : {}),
  };
  const isCode = type === 'code';
  // In the order of Jupyter's own files, so that a diff shows only what changed.
  return {
    ...kept.extra,
    ...(kept.attachments === undefined ? {} : { attachments: kept.attachments }),
    cell_type: futureType(cell, kept.extra) ?? type,
    ...(isCode ? { execution_count: entry?.execution_count ?? null } : {}),
    id,
    metadata,
    ...(isCode ? { outputs: (entry?.outputs ?? []).map(completeOutput) } : {}),
    source: splitLines(source),
  };
}

/** A cell type that a future Jupyter may know was imported as raw and is exported unchanged. */
function futureType(cell: Cell, extra: JsonObject | undefined): string | undefined {
  const type = extra?.cell_type;
  return formOf(cell).jupyter === 'raw' && typeof type === 'string' ? type : undefined;
}

const objectOr = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

function kindOf(cell: Cell): CellKind & { body: string } {
  const { id, type, body } = cell;
  return { id, type, body, lang: cell.get('lang'), isDisabled: cell.get('disabled') === 'true' };
}

/** Whether an import finds all of the cell's tokens without help. `source`: for a notebook whose magics are read. */
function isPlain(cell: Cell, id: string, source: string | undefined): boolean {
  const told = ['id', 'type', 'lang', 'tags', CELL_TOKEN];
  const found = !traitsOf(cell).isStep || source === undefined ? undefined : readForeign(source);
  return (
    cell.id === id &&
    cell.type === (found?.type ?? cellTypeHere(cell)) &&
    cell.get('lang') === found?.lang &&
    cell.tokens.every(({ key, fault }) => told.includes(key) && !fault)
  );
}

/** The type that an import gives to the cell that this one becomes. */
function cellTypeHere(cell: Cell): string {
  return traitsOf(cell).isStep ? 'code' : cell.type;
}

function woofTokens(cell: Cell): JsonObject {
  const told = cell.tokens.filter(({ key, fault }) => key !== CELL_TOKEN && fault !== 'no-equals');
  return Object.fromEntries(told.map(({ key, value }) => [key, value]));
}

/** Whether an import can restore the order of keys that Jupyter sorted. */
function isCanonical(keys: readonly string[]): boolean {
  return sameJson(canonicalOrder(keys.toSorted(), TOKEN_KEYS, String), [...keys]);
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Jupyter's schema requires fields that a short output leaves out. */
function completeOutput(output: JsonObject): JsonObject {
  const type = output.output_type;
  if (type !== 'execute_result' && type !== 'display_data') return output;
  return {
    ...(type === 'execute_result' ? { execution_count: null } : {}),
    metadata: {},
    data: {},
    ...output,
  };
}
