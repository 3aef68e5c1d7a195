/**
 * What Jupyter files contain besides cells and sources, and where a Woof notebook keeps it, so that neither direction
 * loses anything. Owns: these places.
 *
 * - `metadata.jupyter` of the header: the parts of the file's metadata that are not ours (`metadata`), unknown fields
 *   (`extra`), a minor version other than 5 (`minor`), and the header that the import made (`origin`).
 * - The token `x-jupyter` of a cell: the cell's metadata, attachments, unknown fields and magic, as JSON.
 * - The sidecar's line of the notebook: transient metadata (`transient-metadata.ts`), and what is too large for a
 *   header.
 * - `metadata.woof` in Jupyter files: tokens, and the header. It is left out if the import would find the same without
 *   it, so that a file that came from Jupyter is exported unchanged.
 */
import { decodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { syntaxOf } from '../languages.ts';
import type { Notebook } from '../notebook.ts';

/** The minor version of format 4 in which cells got ids; before it, they must have none. */
export const WITH_IDS = 5;
export const CELL_TOKEN = 'x-jupyter';
export const HEADER_KEY = 'jupyter';
/** In a cell's metadata in Jupyter files: the Woof body, if the source does not determine it. */
export const BODY_KEY = 'woof_body';
/** Also there: the order of the tokens if it is not the canonical one, because Jupyter sorts the keys of its files. */
export const ORDER_KEY = 'woof_tokens';

export interface KeptOfFile {
  origin?: JsonObject;
  metadata?: JsonObject;
  extra?: JsonObject;
  minor?: number;
}

export interface KeptOfCell {
  metadata?: JsonObject;
  attachments?: Json;
  extra?: JsonObject;
  /** The first line of a cell in another language, if it is not the usual one. */
  magic?: string;
}

/** `undefined` if the header has none, or has something else under that name. */
export function keptOfFile(notebook: Notebook): KeptOfFile | undefined {
  const kept = parsed(notebook.header.metadata[HEADER_KEY]);
  return isKeptOfFile(kept) ? kept : undefined;
}

function isKeptOfFile(kept: unknown): kept is KeptOfFile {
  if (!isObject(kept) || Object.keys(kept).length === 0) return false;
  return Object.entries(kept).every(([key, value]) =>
    key === 'minor'
      ? typeof value === 'number'
      : ['origin', 'metadata', 'extra'].includes(key) && isObject(value),
  );
}

export function keptOfCell(token: string | undefined): KeptOfCell {
  const kept = parsed(token);
  if (!isObject(kept)) return {};
  return {
    ...(isObject(kept.metadata) ? { metadata: kept.metadata } : {}),
    ...(kept.attachments === undefined ? {} : { attachments: kept.attachments }),
    ...(isObject(kept.extra) ? { extra: kept.extra } : {}),
    ...(typeof kept.magic === 'string' ? { magic: kept.magic } : {}),
  };
}

/** What YAML cannot hold is stored as JSON in a string. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return decodeJson(value);
  } catch {
    return undefined;
  }
}

/** The header's values without what is kept for Jupyter. */
export function ownHeader(notebook: Notebook): JsonObject {
  const { metadata, ...rest } = notebook.header.data;
  if (!isObject(metadata) || !keptOfFile(notebook)) return notebook.header.data;
  const { [HEADER_KEY]: _kept, ...own } = metadata;
  return Object.keys(own).length === 0 ? rest : { ...rest, metadata: own };
}

/** The metadata that Jupyter needs, for a notebook that did not come from Jupyter. */
export function defaultMetadata(language: string): JsonObject {
  const known = syntaxOf(language.toLowerCase()).jupyter;
  const kernel = known ?? { name: language, display_name: language, extension: `.${language}` };
  return {
    kernelspec: { name: kernel.name, display_name: kernel.display_name, language },
    language_info: { name: language, file_extension: kernel.extension },
  };
}
