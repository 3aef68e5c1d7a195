/**
 * The outputs beside a notebook, `<file>.out`: JSON Lines, one per run of a cell. Owns: reading and writing lines. Does
 * not own: files, or when a line is written.
 *
 * A line is appended after each cell, so a crash can truncate the last one. That is not an error, and the line is
 * ignored.
 */
import { type Diagnostic, decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
import { notebookProblems as problems } from './diagnostics.ts';

export interface SidecarEntry {
  cell: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  outputs: JsonObject[];
  cached?: boolean;
  /** Jupyter's execution count, for imported cells. */
  execution_count?: number;
  /** Any other fields of the line. */
  [key: string]: Json | undefined;
}

export interface Sidecar {
  entries: SidecarEntry[];
  /** Whether the last line was truncated. */
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

/** The last written entry of each cell. */
export function latestEntries(entries: readonly SidecarEntry[]): Map<string, SidecarEntry> {
  return new Map(entries.map((entry) => [entry.cell, entry]));
}

/** With its line break. */
export function printSidecarLine(entry: SidecarEntry): string {
  const { cell, timestamp, outputs, ...rest } = entry;
  return `${encodeJson({ cell, timestamp, outputs, ...rest })}\n`;
}
