/**
 * The outputs of a notebook, stored beside it in `<file>.out`: one JSON line per cell, and the latest line of a cell
 * counts. An execution adds lines as cells finish. Before the first and after the last, the file is compacted to the
 * latest line of each cell.
 *
 * Cells that may use files can put anything in the place of this file, so it is held open. Lines go to the file that
 * was created here; if another file has taken its name, a new one replaces that.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CellOutput, MimeBundle } from '@woof/kernels';
import { decodeJson, encodeJson, isObject, type Json, traitsOf } from '@woof/net';
import { asideOf, readPlainFile, removeBeside, writeBeside } from './beside.ts';

export interface SidecarLine {
  cell: string;
  timestamp: string;
  outputs: CellOutput[];
  cached?: true;
}

export const CHART_FILE = 'chart.svg';

/** By MIME type, the file names under which displays of a cell are always written, large or not. */
export function filesOf(type: string): Record<string, string> {
  return traitsOf({ type }).isChart ? { 'image/svg+xml': CHART_FILE } : {};
}

/** Larger pieces of a display go to their own files. */
const LONGEST_INLINE = 256 * 1024;

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'text/html': 'html',
  'application/json': 'json',
  'application/javascript': 'js',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
};

/** The types whose displays are base64; all others are text. */
export function isBinaryType(type: string): boolean {
  return /^(image\/(?!svg)|audio\/|video\/|application\/(pdf|octet-stream|zip|gzip|wasm)$)/.test(type);
}

/** The line with this id is about the notebook: `import` stores there what does not belong to any cell. */
const NOTEBOOK_LINE = '';

const { O_CREAT, O_EXCL, O_RDWR, O_APPEND } = constants;

export class Sidecar {
  private readonly path: string;
  private file: number | undefined;
  /** By cell, the files that were written for its latest line. */
  private named = new Map<string, string[]>();

  constructor(
    private readonly notebook: string,
    private readonly cells: ReadonlySet<string>,
  ) {
    this.path = `${notebook}.out`;
  }

  /**
   * Synchronous: a cell from the cache must not wait for its turn on the disk.
   * `files`: by type, the names under which displays are always written, large or not.
   */
  write(line: SidecarLine, files: Record<string, string> = {}): void {
    if (this.file === undefined || !isSameFile(this.file, this.path)) this.compact();
    const figures = figureNames(line.outputs as unknown as Json);
    const outputs = line.outputs.map((output, at) =>
      this.withFiles(line.cell, output, { ...figures[at], ...files }),
    );
    this.removeStale(line, files);
    this.append(`${encodeJson({ ...line, outputs })}\n`);
    this.sweep(line.cell, filesWritten(line.cell, outputs as unknown as Json));
  }

  end(): void {
    if (this.file === undefined) return;
    this.compact();
    closeSync(this.file);
    this.file = undefined;
  }

  /** Keeps the latest line of each cell from the file under this name and from what was written here. */
  private compact(): void {
    const found = readPlainFile(this.path)?.toString('utf8') ?? '';
    const own = this.file === undefined || isSameFile(this.file, this.path) ? '' : textOf(this.file);
    const latest = new Map<string, string>();
    for (const line of `${found}\n${own}`.split('\n')) {
      const parsed = parseLine(line);
      if (parsed === undefined) continue;
      if (parsed.cell !== NOTEBOOK_LINE && !this.cells.has(parsed.cell)) continue;
      latest.set(parsed.cell, line);
      this.named.set(parsed.cell, filesWritten(parsed.cell, parsed.outputs));
    }
    this.replace([...latest.values()].map((line) => `${line}\n`).join(''));
  }

  /** Writes a line as a whole or not at all, so that on a full disk the other lines stay readable. */
  private append(line: string): void {
    const file = this.file!;
    const { size } = fstatSync(file);
    try {
      writeFileSync(file, line);
    } catch (error) {
      ftruncateSync(file, size);
      throw unwritten(this.path, error, 'so free space on its disk');
    }
  }

  private replace(text: string): void {
    const aside = asideOf(this.path);
    const file = openedBeside(aside, this.path);
    try {
      writeFileSync(file, text);
      renameSync(aside, this.path);
    } catch (error) {
      closeSync(file);
      rmSync(aside, { force: true });
      throw error;
    }
    if (this.file !== undefined) closeSync(this.file);
    this.file = file;
  }

  /** A file that an earlier run left under one of these names is out of date. */
  private removeStale({ cell, outputs }: SidecarLine, files: Record<string, string>): void {
    for (const [type, name] of Object.entries(files)) {
      if (outputs.some((output) => 'data' in output && typeof output.data[type] === 'string')) continue;
      removeBeside(dirname(this.notebook), artifactPath(cell, name));
    }
  }

  /** Removes the files that the previous line named and this one does not: nothing refers to them any more. */
  private sweep(cell: string, named: string[]): void {
    for (const path of this.named.get(cell) ?? []) {
      if (named.includes(path) || !isArtifactOf(cell, path)) continue;
      removeBeside(dirname(this.notebook), path);
    }
    this.named.set(cell, named);
  }

  private withFiles(cell: string, output: CellOutput, files: Record<string, string>): CellOutput {
    if (output.output_type !== 'display_data' && output.output_type !== 'execute_result') return output;
    const data: MimeBundle = {};
    for (const [type, value] of Object.entries(output.data)) {
      const named = files[type];
      const isLarge = typeof value === 'string' && value.length > LONGEST_INLINE;
      const file = isLarge || named ? this.store(cell, type, value, named) : undefined;
      data[type] = file !== undefined && isLarge ? { file } : value;
    }
    return { ...output, data };
  }

  /** Returns the path relative to the notebook, as Markdown cells refer to it. */
  private store(cell: string, type: string, value: Json | undefined, name?: string): string | undefined {
    if (typeof value !== 'string') return undefined;
    const bytes = Buffer.from(value, isBinaryType(type) ? 'base64' : 'utf8');
    const path = artifactPath(cell, name ?? digestName(type, bytes));
    writeBeside(dirname(this.notebook), path, bytes);
    return path;
  }
}

function digestName(type: string, bytes: Buffer): string {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return `${digest}.${EXTENSIONS[type] ?? 'bin'}`;
}

/** The file to which the figure of an output is written; undefined for an output without a figure. */
export function figureFile(
  cell: { id: string; type: string },
  outputs: readonly CellOutput[],
  at: number,
): string | undefined {
  const output = outputs[at];
  if (output === undefined || !('data' in output)) return undefined;
  const type = Object.keys(output.data).find(isFigure);
  if (type === undefined || typeof output.data[type] !== 'string') return undefined;
  const name = filesOf(cell.type)[type] ?? figureNames(outputs as unknown as Json)[at]?.[type];
  return name === undefined ? undefined : artifactPath(cell.id, name);
}

function openedBeside(aside: string, path: string): number {
  try {
    return openSync(aside, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o666);
  } catch (error) {
    throw unwritten(path, error, 'so its folder must exist and be writable');
  }
}

function unwritten(path: string, error: unknown, so: string): Error {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new Error(
    `cannot write ${basename(path)} (${code}): Woof writes outputs next to the notebook, ${so}`,
  );
}

export function artifactPath(cell: string, name: string): string {
  return join('artifacts', basename(cell), name);
}

/** A line may be forged: a path counts only if the sidecar itself would have put the file there. */
export function isArtifactOf(cell: string, path: string): boolean {
  return /^[\w-][\w.-]*$/.test(basename(cell)) && path === artifactPath(cell, basename(path));
}

const isFigure = (type: string) => type.startsWith('image/') || type === 'application/pdf';

/** Further figures are stored only in the sidecar. */
const MOST_FIGURES = 1000;

/**
 * By output, the file names of its figures by type: the first figure that a cell shows is `woof-figure-1`. The cell
 * writes to the same folder, so these names must differ from its own.
 */
function figureNames(outputs: Json): Record<string, string>[] {
  let count = 0;
  return (Array.isArray(outputs) ? outputs : []).map((output) => {
    const data = isObject(output) && isObject(output.data) ? output.data : {};
    const types = Object.keys(data).filter(isFigure);
    if (types.length > 0) count += 1;
    if (count > MOST_FIGURES) return {};
    return Object.fromEntries(
      types.map((type) => [type, `woof-figure-${count}.${EXTENSIONS[type] ?? 'bin'}`]),
    );
  });
}

/** Paths of the files that were written for a line: its figures, and displays that are too large for it. */
export function filesWritten(cell: string, outputs: Json): string[] {
  const figures = figureNames(outputs).flatMap((names) => Object.values(names));
  return [...new Set([...filesNamed(outputs), ...figures.map((name) => artifactPath(cell, name))])];
}

/** Paths of the displays that are stored in files. */
function filesNamed(outputs: Json): string[] {
  if (!Array.isArray(outputs)) return [];
  const bundles = outputs.map((output) => (isObject(output) && isObject(output.data) ? output.data : {}));
  const pieces = bundles.flatMap((bundle) => Object.values(bundle));
  return pieces.flatMap((piece) => (isObject(piece) && typeof piece.file === 'string' ? [piece.file] : []));
}

function isSameFile(file: number, path: string): boolean {
  const [held, there] = [fstatSync(file), lstatSync(path, { throwIfNoEntry: false })];
  return held.ino === there?.ino && held.dev === there.dev;
}

function textOf(file: number): string {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const count = readSync(file, bytes, at, size - at, at);
    if (count === 0) break;
    at += count;
  }
  return bytes.toString('utf8');
}

/** Undefined for a torn or foreign line. */
function parseLine(line: string): { cell: string; outputs: Json } | undefined {
  try {
    const value = decodeJson(line);
    if (!isObject(value) || typeof value.cell !== 'string') return undefined;
    return { cell: value.cell, outputs: value.outputs ?? [] };
  } catch {
    return undefined;
  }
}
