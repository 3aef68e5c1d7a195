/**
 * What a cell says in a Jupyter notebook of Python, so that it runs there, and back.
 *
 * 1. A cell of another language starts with its magic: `%%bash`, `%%R`, `%%javascript`.
 * 2. A data cell binds its name, as the kernel does: `cfg = woof["cfg"] = …`.
 * 3. A chart displays its specification, with the data that it names.
 * 4. A disabled cell starts with `%%script false`, which skips it.
 *
 * Invariant: `readSource` of what `sourceOf` gave is the cell again.
 */
import { canonicalLanguage, isBindableName, mimeOf, parseChart } from '@woof/net';
import { dataValue } from '../data-value.ts';
import { KEYWORDS } from '../python/python-words.ts';
import { isIdleType } from '../vocabulary.ts';
import { jsonOfLiteral, pythonLiteral } from './python-literal.ts';

/** What of a cell tells what its source is. */
export interface CellKind {
  type: string;
  id: string;
  lang?: string | undefined;
  isDisabled: boolean;
}

export interface CellSource {
  source: string;
  /** Given where the source alone does not tell it. */
  body?: string;
}

export interface ReadCell {
  type: string;
  lang?: string;
  /** The first line, where another would be written for this language. */
  magic?: string;
  body: string;
}

const SKIP = '%%script false --no-raise-error\n';
const MAGIC_NAME = /^[A-Za-z][\w+#-]*$/;

/** `magic`: the first line that the cell came with. */
export function sourceOf(cell: CellKind & { body: string }, magic?: string): CellSource {
  if (isIdleType(cell.type)) return { source: cell.body };
  const code = codeOf(cell);
  const first = magic !== undefined && isMagicOf(cell, magic) ? `${magic}\n` : magicOf(cell);
  const source = `${cell.isDisabled ? SKIP : ''}${first}${code}`;
  return readSource(source, cell).body === cell.body ? { source } : { source, body: cell.body };
}

/** `body`: as `sourceOf` gave it. */
export function readSource(source: string, cell: CellKind, body?: string): ReadCell {
  const { type } = cell;
  const code = cell.isDisabled && source.startsWith(SKIP) ? source.slice(SKIP.length) : source;
  if (type !== 'data' && type !== 'viz') return { type, ...withoutMagic(code, cell) };
  if (body !== undefined && codeOf({ ...cell, body }) === code) return { type, body };
  return type === 'data' ? readData(code, cell.id) : readChart(code);
}

function withoutMagic(code: string, cell: CellKind): { body: string; magic?: string } {
  const usual = magicOf(cell);
  if (usual === '' || code.startsWith(usual)) return { body: code.slice(usual.length) };
  const { magic, body } = readForeign(code);
  return magic !== undefined && isMagicOf(cell, magic) ? { magic, body } : { body: code };
}

/** A cell that nothing is told of but its source. */
export function readForeign(source: string): ReadCell {
  const plain = { type: 'code', body: source };
  const end = source.indexOf('\n');
  const line = source.slice(0, Math.max(end, 0));
  const [, word = '', args = ''] = /^%%(\w+)(.*)$/.exec(line) ?? [];
  const found = FOREIGN.get(word);
  // Arguments of bash are those of the script, which would miss them.
  if (found === undefined || (found.type === 'bash' && args.trim() !== '')) return plain;
  const kind = { ...found, id: '', isDisabled: false };
  return { ...found, ...(magicOf(kind) === `${line}\n` ? {} : { magic: line }), body: source.slice(end + 1) };
}

const FOREIGN = new Map<string, { type: string; lang?: string }>([
  ['bash', { type: 'bash' }],
  ['sh', { type: 'bash' }],
  ['R', { type: 'code', lang: 'r' }],
  ['javascript', { type: 'code', lang: 'javascript' }],
  ['js', { type: 'code', lang: 'javascript' }],
]);

function magicOf({ type, lang }: CellKind): string {
  if (type === 'bash') return '%%bash\n';
  const language = canonicalLanguage(lang ?? 'python');
  const isForeign = (type === 'code' || type === 'test') && language !== 'python';
  if (!isForeign || !MAGIC_NAME.test(language)) return '';
  return language === 'r' ? '%%R\n' : `%%${language}\n`;
}

function isMagicOf({ type, lang }: CellKind, magic: string): boolean {
  const found = readForeign(`${magic}\n`);
  return found.type === type && found.lang === lang;
}

function codeOf(cell: CellKind & { body: string }): string {
  if (cell.type === 'data') return dataCode(cell.id, cell.body);
  return cell.type === 'viz' ? chartCode(cell.body) : cell.body;
}

function dataCode(id: string, body: string): string {
  const value = dataValue(body);
  return value === undefined ? body : `${targetOf(id)}${pythonLiteral(body, value)}`;
}

function targetOf(id: string): string {
  return isBindable(id) ? `${id} = woof["${id}"] = ` : `woof["${id}"] = `;
}

/** Whether the kernel binds a value under this name itself. */
export function isBindable(name: string): boolean {
  return isBindableName(name) && !KEYWORDS.has(name) && !OURS.has(name);
}

const OURS = new Set(['woof', 'parameters', 'display']);

function readData(code: string, id: string): ReadCell {
  const target = targetOf(id);
  if (!code.startsWith(target)) return { type: 'data', body: code };
  const json = jsonOfLiteral(code.slice(target.length));
  return json === undefined ? { type: 'code', body: code } : { type: 'data', body: json };
}

const SHOW = 'from IPython.display import display\ndisplay({';

function chartCode(body: string): string {
  try {
    const { spec, kind, wanted } = parseChart(body);
    const data = kind === 'vega-lite' ? wanted.map(dataEntry).join(', ') : '';
    const literal = pythonLiteral(body, spec);
    const filled = data === '' ? literal : `{**${literal}, "datasets": {${data}}}`;
    return `${SHOW}"${mimeOf(kind)}": ${filled}}, raw=True)`;
  } catch {
    return body;
  }
}

/** A data frame gives its rows. */
function dataEntry(name: string): string {
  const value = isBindable(name) ? name : `woof[${JSON.stringify(name)}]`;
  return `${JSON.stringify(name)}: getattr(${value}, "to_dict", lambda _: ${value})("records")`;
}

/** One that was changed in Jupyter is code. */
function readChart(code: string): ReadCell {
  return { type: code.startsWith(SHOW) ? 'code' : 'viz', body: code };
}
