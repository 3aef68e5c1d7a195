/**
 * Converts a cell to source for a Python Jupyter notebook, so that it runs there, and back.
 *
 * 1. A cell of another language starts with its magic: `%%bash`, `%%R`, `%%javascript`.
 * 2. A data cell binds its name, as the kernel does: `cfg = woof["cfg"] = …`.
 * 3. A chart displays its specification, with the data that it names.
 * 4. A disabled cell starts with `%%script false`, which skips it.
 *
 * Invariant: `readSource` of the result of `sourceOf` is the cell again.
 */
import { type CellType, canonicalLanguage, traitsOf } from '@woof/net';
import { formOf, knownForms } from '../cell-forms.ts';
import { knownSyntaxes, syntaxOf } from '../languages.ts';

/** The properties of a cell that determine its source. */
export interface CellKind {
  type: string;
  id: string;
  lang?: string | undefined;
  isDisabled: boolean;
}

export interface CellSource {
  source: string;
  /** Set if the source alone does not determine it. */
  body?: string;
}

export interface ReadCell {
  type: string;
  lang?: string;
  /** The first line, if it differs from the one that would be written for this language. */
  magic?: string;
  body: string;
}

const SKIP = '%%script false --no-raise-error\n';
/** The language whose magics these are. */
const HOST = 'python';
const MAGIC_NAME = /^[A-Za-z][\w+#-]*$/;

/** `magic`: the first line that the cell came with. */
export function sourceOf(cell: CellKind & { body: string }, magic?: string): CellSource {
  if (!traitsOf(cell).isStep) return { source: cell.body };
  const code = codeOf(cell);
  const first = magic !== undefined && isMagicOf(cell, magic) ? `${magic}\n` : magicOf(cell);
  const source = `${cell.isDisabled ? SKIP : ''}${first}${code}`;
  return readSource(source, cell).body === cell.body ? { source } : { source, body: cell.body };
}

/** `body`: as `sourceOf` returned it. */
export function readSource(source: string, cell: CellKind, body?: string): ReadCell {
  const { type } = cell;
  const code = cell.isDisabled && source.startsWith(SKIP) ? source.slice(SKIP.length) : source;
  const { python } = formOf(cell);
  if (python === undefined) return { type, ...withoutMagic(code, cell) };
  if (body !== undefined && python.write(cell.id, body) === code) return { type, body };
  return python.read(code, cell.id);
}

function withoutMagic(code: string, cell: CellKind): { body: string; magic?: string } {
  const usual = magicOf(cell);
  if (usual === '' || code.startsWith(usual)) return { body: code.slice(usual.length) };
  const { magic, body } = readForeign(code);
  return magic !== undefined && isMagicOf(cell, magic) ? { magic, body } : { body: code };
}

/** A cell of which only the source is known. */
export function readForeign(source: string): ReadCell {
  const plain = { type: 'code', body: source };
  const end = source.indexOf('\n');
  const line = source.slice(0, Math.max(end, 0));
  const [, word = '', args = ''] = /^%%(\w+)(.*)$/s.exec(line) ?? [];
  const found = FOREIGN.get(word);
  // Arguments of a type's own magic are those of the script, which would miss them.
  if (found === undefined || (found.lang === undefined && args.trim() !== '')) return plain;
  const kind = { ...found, id: '', isDisabled: false };
  return { ...found, ...(magicOf(kind) === `${line}\n` ? {} : { magic: line }), body: source.slice(end + 1) };
}

const FOREIGN = new Map<string, { type: CellType; lang?: string }>([
  ...knownForms.flatMap(([type, { magics = [] }]) => magics.map((word) => [word, { type }] as const)),
  ...knownSyntaxes.flatMap(([lang, { magics = [] }]) =>
    magics.map((word) => [word, { type: 'code' as const, lang }] as const),
  ),
]);

function magicOf({ type, lang }: CellKind): string {
  const [own] = formOf({ type }).magics ?? [];
  if (own !== undefined) return `%%${own}\n`;
  const language = canonicalLanguage(lang ?? HOST);
  const isForeign = traitsOf({ type }).choosesLanguage && language !== HOST;
  if (!isForeign || !MAGIC_NAME.test(language)) return '';
  return `%%${syntaxOf(language).magics?.[0] ?? language}\n`;
}

function isMagicOf({ type, lang }: CellKind, magic: string): boolean {
  const found = readForeign(`${magic}\n`);
  return found.type === type && found.lang === lang;
}

function codeOf({ id, body, type }: CellKind & { body: string }): string {
  return formOf({ type }).python?.write(id, body) ?? body;
}
