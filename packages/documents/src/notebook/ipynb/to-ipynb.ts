/** A notebook as a Jupyter notebook of format 4.5, with the outputs of its sidecar. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { type Cell, splitList } from '../cell.ts';
import { isStrayFence } from '../lint-structure.ts';
import type { Notebook } from '../notebook.ts';
import { sameJson } from '../same-json.ts';
import type { SidecarEntry } from '../sidecar.ts';
import { cellIds } from './ipynb-ids.ts';
import {
  CELL_TOKEN,
  defaultMetadata,
  type KeptOfFile,
  keptOfCell,
  keptOfFile,
  ownHeader,
} from './ipynb-metadata.ts';
import { transientOfCell, transientOfFile, withTransient } from './transient-metadata.ts';

const NBFORMAT = 4;
const NBFORMAT_MINOR = 5;

/** `outputs`: the latest entry of each cell; the file's own entry has the id ''. */
export function toIpynb(notebook: Notebook, outputs?: ReadonlyMap<string, SidecarEntry>): JsonObject {
  const line = outputs?.get('');
  const kept = keptOfFile(notebook) ?? sidecarKept(line);
  const ids = cellIds(notebook.cells);
  const cells = notebook.cells.map((cell, i) => {
    const entry = outputs?.get(cell.id);
    const made = toCell(cell, ids[i]!, kept?.origin !== undefined, entry);
    return { ...made, metadata: withTransient(made.metadata, transientOfCell(cell.id, line, entry)) };
  });
  return {
    cells,
    metadata: withTransient(fileMetadata(notebook, kept), transientOfFile(line)),
    nbformat: NBFORMAT,
    nbformat_minor: Math.max(NBFORMAT_MINOR, kept?.minor ?? 0),
    ...kept?.extra,
  };
}

function sidecarKept(entry: SidecarEntry | undefined): KeptOfFile | undefined {
  const kept = entry?.jupyter;
  return typeof kept === 'object' && kept !== null ? (kept as KeptOfFile) : undefined;
}

function fileMetadata(notebook: Notebook, kept: KeptOfFile | undefined): JsonObject {
  const header = ownHeader(notebook);
  const base = kept?.metadata ?? (kept?.origin ? {} : defaultMetadata(notebook.header.language ?? 'python'));
  const outside = outsideTexts(notebook);
  if (kept?.origin && sameJson(kept.origin, header) && outside.length === 0) return base;
  const { major, minor } = notebook.magic?.version ?? { major: 1, minor: 0 };
  const woof = {
    version: `${major}.${minor}`,
    header,
    ...(kept ? {} : { header_text: notebook.headerText.trimEnd() }),
    ...(outside.length === 0 ? {} : { outside }),
  };
  return { ...base, woof };
}

/** Texts that stand between cells, with the index of the cell behind them. */
function outsideTexts(notebook: Notebook): Json[] {
  const texts = [...notebook.cells.map((cell) => cell.before), notebook.tail];
  return texts.flatMap((text, index) =>
    text.trim() === '' || isStrayFence(text) ? [] : [[index, trimLines(text)]],
  );
}

function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
}

function toCell(
  cell: Cell,
  id: string,
  isImported: boolean,
  entry: SidecarEntry | undefined,
): JsonObject & { metadata: JsonObject } {
  const kept = keptOfCell(cell.get(CELL_TOKEN));
  const type = cellTypeOf(cell.type);
  const woof = isImported && isPlain(cell, id) ? undefined : woofTokens(cell);
  const tags = cell.token('tags');
  const metadata = {
    ...(tags ? { tags: splitList(tags.value) } : {}),
    ...kept.metadata,
    ...(woof ? { woof: { ...objectOr(kept.metadata?.woof), ...woof } } : {}),
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
    source: splitLines(cell.body),
  };
}

/** A type of cell that Jupyter may know one day came in as raw and goes out as it came. */
function futureType(cell: Cell, extra: JsonObject | undefined): string | undefined {
  const type = extra?.cell_type;
  return cell.type === 'raw' && typeof type === 'string' ? type : undefined;
}

const objectOr = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

function cellTypeOf(type: string): string {
  if (type === 'md') return 'markdown';
  return type === 'raw' ? 'raw' : 'code';
}

/** Whether an import finds all of the cell's tokens without being told. */
function isPlain(cell: Cell, id: string): boolean {
  const told = ['id', 'type', 'tags', CELL_TOKEN];
  return (
    cell.id === id &&
    ['code', 'md', 'raw'].includes(cell.type) &&
    cell.tokens.every(({ key, fault }) => told.includes(key) && !fault)
  );
}

function woofTokens(cell: Cell): JsonObject {
  const told = cell.tokens.filter(({ key, fault }) => key !== CELL_TOKEN && fault !== 'no-equals');
  return Object.fromEntries(told.map(({ key, value }) => [key, value]));
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Jupyter's schema demands fields that a short output leaves out. */
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
