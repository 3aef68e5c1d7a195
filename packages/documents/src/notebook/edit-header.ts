/**
 * Edits values of a header: only the lines of the key change.
 *
 * Invariant: the edit is made only if all other values stay the same (an anchor in the old value may be used
 * elsewhere); otherwise the result is undefined.
 */
import type { Json, JsonObject } from '@woof/net';
import type { Entry } from '../yaml/tree.ts';
import { splice } from './edit.ts';
import { headerText } from './header-text.ts';
import type { Notebook } from './notebook.ts';
import { sameJson } from './same-json.ts';

/** The value `undefined` removes the key. */
export function setHeaderValue(
  notebook: Notebook,
  key: string,
  value: Json | undefined,
): Notebook | undefined {
  const { header } = notebook;
  const isEmpty = notebook.headerText.trim() === '';
  if (!header.root && !isEmpty && !isOnlyComments(notebook.headerText)) return undefined;
  const line = value === undefined ? '' : headerText(Object.fromEntries([[key, value]]));
  if (line === undefined) return undefined;
  const entry = header.root?.entries.get(key);
  if (!entry && value === undefined) return notebook;
  const edited = entry ? replaceEntry(notebook, entry, line) : addLine(notebook, line);
  return edited && sameJson(edited.header.data, expected(header.data, key, value)) ? edited : undefined;
}

function expected(data: JsonObject, key: string, value: Json | undefined): JsonObject {
  const others = Object.entries(data).filter(([each]) => each !== key);
  return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
}

function isOnlyComments(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.trimStart().startsWith('#'));
}

function replaceEntry(notebook: Notebook, entry: Entry, line: string): Notebook {
  const text = notebook.headerText;
  const { start } = entry.at;
  const end = text.slice(0, Math.max(entry.value.end, entry.at.end)).trimEnd().length;
  const offset = notebook.preamble.length;
  if (line !== '') return splice(notebook, offset + start, offset + endOfValue(text, entry, end), line);
  const next = text.indexOf('\n', end);
  return splice(notebook, offset + start, offset + (next === -1 ? text.length : next + 1), '');
}

/** A key without a value ends at its colon. */
function endOfValue(text: string, entry: Entry, end: number): number {
  return entry.value.end > entry.value.start ? end : text.indexOf(':', entry.at.end) + 1;
}

function addLine(notebook: Notebook, line: string): Notebook {
  const filled = notebook.headerText.trimEnd().length;
  const at = notebook.preamble.length + filled;
  const lineEnd = notebook.preamble.endsWith('\r\n') ? '\r\n' : '\n';
  if (filled > 0) return splice(notebook, at, at, lineEnd + line);
  return splice(notebook, at, at, (notebook.preamble.endsWith('\n') ? '' : lineEnd) + line + lineEnd);
}
