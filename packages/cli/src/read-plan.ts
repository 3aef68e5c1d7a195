/** Reads a document file as a plan, with its diagnostics and its location. */
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, parse, resolve } from 'node:path';
import {
  compileNotebook,
  type ReadResult,
  readDocument,
  renderDiagnostics,
  stepCellIds,
  undecoded,
} from '@woof/documents';
import { nearest } from '@woof/expr/nearest';
import type { CellTask, Diagnostic, Plan, Position } from '@woof/net';
import { DEFAULT_RULES } from '@woof/policy';
import { locateData } from './data-directory.ts';
import { readRules } from './read-rules.ts';
import { reasonOf } from './system-error.ts';
import { harmless, wantsColor } from './terminal.ts';
import { knownKinds } from './tool-kinds.ts';
import { upgradedOrRefused } from './upgrade-text.ts';
import { inFile, UserError } from './user-error.ts';

export interface ReadPlan extends ReadResult {
  text: string;
  /** `upgrade`: playbooks that it calls may use the older dialect too. */
  source: { file: string; folder: string; upgrade?: string };
}

export interface Selection {
  /** Cells of a notebook to run; default: all. */
  cells?: readonly string[];
  /** Without their dependencies. */
  alone?: boolean;
  /** A playbook of the older dialect is rewritten first. */
  upgrade?: boolean;
  /** The data directory whose safety policy applies. */
  data?: string | undefined;
}

export function readPlan(path: string, from = '.', selection: Selection = {}): ReadPlan {
  const { text: written, file, fault } = readFile(resolve(from, path));
  const source = { file, folder: dirname(file) };
  if (fault) return { kind: 'playbook', text: written, source, diagnostics: [fault] };
  const text = selection.upgrade ? upgradedOrRefused(written, file) : written;
  const rules = () => readRules(locateData(selection.data).path) ?? DEFAULT_RULES;
  const read = readDocument(text, { file, ...knownKinds(), rules: once(rules) });
  const upgrade = selection.upgrade ? { upgrade: 'yes' } : {};
  const whole: ReadPlan = { ...read, text, source: { ...source, ...upgrade } };
  const { notebook } = read;
  if (notebook === undefined) {
    if (selection.cells) throw new UserError(`${path} has no cells`, 'use --cell only with notebooks', 2);
    return whole;
  }
  if (!isRight(whole)) return whole;
  if (selection.cells) refuseUnknown(selection.cells, stepCellIds(notebook), path);
  const only = selection.cells ? { only: selection.cells } : {};
  let plan: Plan | undefined;
  // Compiled on demand: lint and graph of a large notebook do not need it.
  const get = () => (plan ??= compileNotebook(notebook, { ...only, alone: selection.alone ?? false }));
  return Object.defineProperty(whole, 'plan', { get, enumerable: true });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** `refuseUngranted` decides whether a cell may do what it declares: the person at the terminal may allow it. */
export function isRight(read: ReadResult): boolean {
  if (read.notebook === undefined) return read.plan !== undefined;
  return !read.diagnostics.some(
    ({ severity, code }) => severity === 'error' && code !== 'notebook/policy-conflict',
  );
}

function refuseUnknown(cells: readonly string[], known: readonly string[], path: string): void {
  const unknown = cells.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw new UserError(`${path} has no cell "${unknown}" that runs`, `it has: ${known.join(', ')}`, 2);
  }
}

/** Prints every diagnostic on stderr and ends the verb, unless the document can run. */
export function refuseErrors(read: ReadPlan, file: string): void {
  if (isRight(read)) return;
  process.stderr.write(
    `${renderDiagnostics(read.diagnostics, read.text, file, { color: wantsColor(process.stderr) })}\n`,
  );
  throw new UserError(
    `${file} has errors and cannot run`,
    'correct the errors above, then try again',
    2,
    inFile(file, read.diagnostics),
  );
}

export function refuseInvalid(read: ReadPlan, file: string): Plan {
  refuseErrors(read, file);
  return read.plan!;
}

const EFFECTS = [
  ['allow_files', 'fs', 'files'],
  ['allow_network', 'net', 'network'],
  ['allow_shell', 'shell', 'shell'],
] as const;

/**
 * Before anything runs: a cell that declares what neither its header nor the person at the terminal allows would fail.
 */
export function refuseUngranted(read: ReadPlan, file: string, granted: Record<string, boolean> = {}): void {
  if (read.plan?.kind !== 'notebook') return;
  for (const { idle, tasks, at } of read.plan.steps) {
    const { id, declared, allowed } = tasks[0]!.input as unknown as CellTask;
    for (const [key, effect, grant] of idle ? [] : EFFECTS) {
      const implied = key === 'allow_files' && declared.allow_shell;
      if (!declared[key] || allowed[key] || granted[key] || implied) continue;
      throw new UserError(
        `${file}:${placeOfConflict(read, at)}: cell "${id}" declares ${effect}, but io_policy.${key} is false`,
        `set io_policy.${key}: true in the header, or run with --allow ${grant}`,
        2,
      );
    }
  }
}

/** The place where lint reports it for the cell at this position. */
function placeOfConflict({ diagnostics }: ReadPlan, [line, column]: Position): string {
  const told = diagnostics.find((each) => each.code === 'notebook/policy-conflict' && each.line === line);
  return `${line}:${told?.column ?? column}`;
}

/** Bytes that cannot be decoded would change, and a verb that writes the file would make that permanent. */
export function readText(path: string): { text: string; file: string } {
  const { text, file, fault } = readFile(path);
  if (fault) throw new UserError(`${path}:${fault.line}:${fault.column}: ${fault.message}`, fault.hint, 2);
  return { text, file };
}

function readFile(path: string): { text: string; file: string; fault: Diagnostic | undefined } {
  try {
    if (statSync(path).isDirectory()) throw new UserError(`${path} is a directory`, 'choose a file in it', 2);
    const file = realpathSync(path);
    const bytes = readFileSync(file);
    const text = bytes.toString('utf8');
    return { text, file, fault: undecoded(text, bytes) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      throw new UserError(
        `cannot read ${path}: ${reasonOf(error as Error)}`,
        'check the path and its permissions',
        2,
      );
    const near = nearFile(path);
    const fix = near ? `did you mean ${harmless(near)}?` : 'check the name and the current directory';
    throw new UserError(`cannot read ${path}: there is no such file`, fix, 2);
  }
}

/** A file beside it with nearly the same name, or with the same name and another extension. */
function nearFile(path: string): string | undefined {
  const { dir, name, ext } = parse(path);
  const files = namesIn(dir).map((each) => parse(each));
  const alike = files.filter((file) => file.ext === ext).map((file) => file.name);
  const near = nearest(name, alike);
  return near === undefined ? files.find((file) => file.name === name)?.base : `${near}${ext}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
