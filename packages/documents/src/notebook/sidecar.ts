/**
 * The outputs that stand beside a notebook, `<file>.out`: JSON Lines, one a run of a cell. Owns: reading and writing
 * lines. Does not own: files, or when a line is written.
 *
 * A line is appended after each cell, so a crash can tear the last one; that is no fault of anybody and is passed over.
 */
import { type Diagnostic, decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
import { notebookProblems as problems } from './diagnostics.ts';

export interface SidecarEntry {
  cell: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  outputs: JsonObject[];
  cached?: boolean;
  /** Jupyter's number of the run, of imported cells. */
  execution_count?: number;
  /** Whatever else the line holds. */
  [key: string]: Json | undefined;
}

export interface Sidecar {
  entries: SidecarEntry[];
  /** Whether the last line was torn. */
  isTorn: boolean;
  diagnostics: Diagnostic[];
}

export function parseSidecar(text: string): Sidecar {
  const lines = text.split('\n');
  const entries: SidecarEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  let isTorn = false;
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const entry = parseLine(line);
    if (entry) entries.push(entry);
    else if (i === lines.length - 1) isTorn = true;
    else diagnostics.push(problems.sidecarLine({ line: i + 1, column: 1, endColumn: line.length + 1 }));
  }
  return { entries, isTorn, diagnostics };
}

function parseLine(line: string): SidecarEntry | undefined {
  try {
    const value = decodeJson(line) as Partial<SidecarEntry> | null;
    if (typeof value?.cell !== 'string' || !Array.isArray(value.outputs)) return undefined;
    const outputs = value.outputs.filter((each) => typeof each === 'object' && each !== null);
    const timestamp = typeof value.timestamp === 'string' ? value.timestamp : '';
    return { ...value, cell: value.cell, timestamp, outputs };
  } catch {
    return undefined;
  }
}

/** Of each cell, the entry that was written last. */
export function latestEntries(entries: readonly SidecarEntry[]): Map<string, SidecarEntry> {
  return new Map(entries.map((entry) => [entry.cell, entry]));
}

/** With its line break. */
export function printSidecarLine(entry: SidecarEntry): string {
  const { cell, timestamp, outputs, ...rest } = entry;
  return `${encodeJson({ cell, timestamp, outputs, ...rest })}\n`;
}
