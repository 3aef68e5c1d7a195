/** The stored outputs beside a notebook, including displays that are in files. */
import { dirname } from 'node:path';
import { latestEntries, parseSidecar } from '@woof/documents';
import { isObject, type Json, type JsonObject } from '@woof/net';
import type { CellOutput } from '@woof/workbook-page';
import type { FilesBeside } from './notebook-files.ts';

export interface StoredOutputs {
  outputs: CellOutput[];
  /** When the cell ran: ISO 8601. */
  at: string;
}

export function storedOutputs(sidecar: string | undefined, files: FilesBeside): Map<string, StoredOutputs> {
  const { entries } = parseSidecar(sidecar ?? '');
  const latest = [...latestEntries(entries)].filter(([cell]) => cell !== '');
  return new Map(
    latest.map(([cell, { outputs, timestamp }]) => [
      cell,
      { outputs: outputs.flatMap((output) => asOutput(output, cell, files)), at: timestamp },
    ]),
  );
}

/** A line may contain anything. */
function asOutput(output: JsonObject, cell: string, files: FilesBeside): CellOutput[] {
  const { output_type: type, name, text, data, ename, evalue, traceback } = output;
  if (type === 'stream')
    return [{ output_type: type, name: name === 'stderr' ? name : 'stdout', text: lines(text) }];
  if (type === 'error') {
    const trace = Array.isArray(traceback) ? traceback.map(String) : [];
    return [
      { output_type: type, ename: String(ename ?? 'Error'), evalue: String(evalue ?? ''), traceback: trace },
    ];
  }
  if ((type !== 'display_data' && type !== 'execute_result') || !isObject(data)) return [];
  return [{ output_type: type, data: withFiles(data, cell, files) }];
}

const lines = (text: Json | undefined) =>
  Array.isArray(text) ? text.map(String).join('') : String(text ?? '');

/** A line may be forged: a file counts only if it is where a run of the cell would have put it. */
function withFiles(data: JsonObject, cell: string, files: FilesBeside): Record<string, Json> {
  const entries = Object.entries(data).flatMap(([type, value]): [string, Json][] => {
    if (!isObject(value) || typeof value.file !== 'string' || Object.keys(value).length !== 1)
      return [[type, value]];
    const bytes = dirname(value.file) === `artifacts/${cell}` ? files.read(value.file) : undefined;
    if (bytes === undefined)
      return [['text/plain', `${value.file} is not in this page: it is missing or too large`]];
    return [
      [
        type,
        /^image\/(?!svg)/.test(type)
          ? Buffer.from(bytes).toString('base64')
          : new TextDecoder().decode(bytes),
      ],
    ];
  });
  return Object.fromEntries(entries);
}
