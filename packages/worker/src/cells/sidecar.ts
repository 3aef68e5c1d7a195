/**
 * The outputs of a notebook beside it: `<file>.out`, one JSON line a cell, the latest line of a cell counts.
 * An execution adds lines as cells finish; before the first and after the last, only the latest of each cell is kept.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CellOutput, MimeBundle } from '@woof/kernels';

export interface SidecarLine {
  cell: string;
  timestamp: string;
  outputs: CellOutput[];
  cached?: true;
}

export const CHART_FILE = 'chart.svg';

/** By type, the names under which displays of a cell are written in any case, large or not. */
export function filesOf(cellType: string): Record<string, string> {
  return cellType === 'viz' ? { 'image/svg+xml': CHART_FILE } : {};
}

/** Larger pieces of a display go to a file of their own. */
const LONGEST_INLINE = 256 * 1024;

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/svg+xml': 'svg',
  'text/html': 'html',
  'application/json': 'json',
  'text/plain': 'txt',
};

export class Sidecar {
  private readonly path: string;
  private begun = false;

  constructor(
    private readonly notebook: string,
    private readonly cells: ReadonlySet<string>,
  ) {
    this.path = `${notebook}.out`;
  }

  /** `files`: by type, the names under which displays are written in any case, large or not. */
  async write(line: SidecarLine, files: Record<string, string> = {}): Promise<void> {
    if (!this.begun) this.compact();
    this.begun = true;
    const outputs: CellOutput[] = [];
    for (const output of line.outputs) outputs.push(await this.withFiles(line.cell, output, files));
    await this.removeStale(line, files);
    // At once, as everything here that is small: a cell from the cache must not wait for its turn on the disk.
    appendFileSync(this.path, `${JSON.stringify({ ...line, outputs })}\n`);
  }

  end(): void {
    if (this.begun) this.compact();
  }

  private compact(): void {
    const text = existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    const latest = new Map<string, string>();
    for (const line of text.split('\n')) {
      const cell = cellOf(line);
      if (cell !== undefined && this.cells.has(cell)) latest.set(cell, line);
    }
    const aside = `${this.path}.new`;
    writeFileSync(aside, [...latest.values()].map((line) => `${line}\n`).join(''));
    renameSync(aside, this.path);
  }

  /** What an earlier run left under these names shows something that is no longer so. */
  private async removeStale({ cell, outputs }: SidecarLine, files: Record<string, string>): Promise<void> {
    for (const [type, name] of Object.entries(files)) {
      if (outputs.some((output) => 'data' in output && typeof output.data[type] === 'string')) continue;
      await removeBeside(dirname(this.notebook), artifactPath(cell, name));
    }
  }

  private async withFiles(
    cell: string,
    output: CellOutput,
    files: Record<string, string>,
  ): Promise<CellOutput> {
    if (output.output_type !== 'display_data' && output.output_type !== 'execute_result') return output;
    const data: MimeBundle = {};
    for (const [type, value] of Object.entries(output.data)) {
      const large = typeof value === 'string' && value.length > LONGEST_INLINE;
      const file =
        typeof value === 'string' && (large || files[type])
          ? await this.keep(cell, type, value, files[type])
          : undefined;
      data[type] = large ? { file: file! } : value;
    }
    return { ...output, data };
  }

  /** The path is relative to the notebook, as Markdown cells refer to it. */
  private async keep(cell: string, type: string, value: string, name?: string): Promise<string> {
    const binary = /^(image\/(?!svg)|audio|video|application\/(?!json))/.test(type);
    const bytes = Buffer.from(value, binary ? 'base64' : 'utf8');
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const path = artifactPath(cell, name ?? `${digest}.${EXTENSIONS[type] ?? 'bin'}`);
    await writeBeside(dirname(this.notebook), path, bytes);
    return path;
  }
}

export function artifactPath(cell: string, name: string): string {
  return join('artifacts', basename(cell), name);
}

/** Cells with files may have put links there, which must not lead what we write out of the folder. */
async function writeBeside(folder: string, path: string, bytes: Buffer): Promise<void> {
  const full = join(folder, path);
  await mkdir(dirname(full), { recursive: true });
  if ((await realpath(dirname(full))) !== join(await realpath(folder), dirname(path)))
    throw new Error(`${dirname(path)} is a link that leads elsewhere; nothing is written there`);
  const aside = `${full}.${process.pid}`;
  await rm(aside, { force: true });
  await writeFile(aside, bytes, { flag: 'wx' });
  await rename(aside, full);
}

/** Nothing where a link leads elsewhere, or there is no such folder. */
async function removeBeside(folder: string, path: string): Promise<void> {
  const real = await realpath(dirname(join(folder, path))).catch(() => '');
  if (real === join(await realpath(folder), dirname(path))) await rm(join(folder, path), { force: true });
}

/** Undefined for a torn or foreign line. */
function cellOf(line: string): string | undefined {
  try {
    const { cell } = JSON.parse(line) as { cell?: unknown };
    return typeof cell === 'string' ? cell : undefined;
  } catch {
    return undefined;
  }
}
