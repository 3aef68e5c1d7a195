/** Packs sources as a bundle; refused if they contain secrets or anything that a bundle may not contain. */
import {
  type BundleFile,
  type BundleTag,
  BundleTooLarge,
  FILE_LIMIT,
  findSecrets,
  packBundle,
  pathProblems,
  workbookProblems,
} from '@woof/documents/workbook';
import { gzip } from './node-gzip.ts';
import type { FileProblem } from './refused.ts';

export interface PackOptions {
  rootName: string;
  /** The time of the newest source. */
  newestMs: number;
  /** Files that may be published although they look like secrets. */
  includeSecrets?: readonly string[];
}

const TOP = { line: 1, column: 1, endColumn: 2 };

export interface Packed {
  tag: BundleTag;
  /** Files that are only named. */
  incomplete: FileProblem[];
}

/** The tag, or all reasons why there is none. */
export function packSources(
  files: readonly BundleFile[],
  options: PackOptions,
): Packed | { problems: FileProblem[] } {
  const problems = [
    ...files.flatMap((file) =>
      secretProblems(file.path, file.content ?? new Uint8Array(), options.includeSecrets),
    ),
    ...pathProblems(files.map(({ path }) => path)).map(({ path, why }) => {
      return { ...workbookProblems.badPath(TOP, path, why), file: path };
    }),
  ];
  if (problems.length > 0) return { problems };
  const { rootName, newestMs } = options;
  try {
    const tag = packBundle({ rootName, createdAt: createdAt(newestMs), files }, gzip);
    return { tag, incomplete: files.filter(isOnlyNamed).map(incompleteProblem) };
  } catch (error) {
    if (!(error instanceof BundleTooLarge)) throw error;
    return { problems: [{ ...workbookProblems.sourcesTooLarge(TOP, error.message), file: rootName }] };
  }
}

const isOnlyNamed = ({ content }: BundleFile) => content === undefined || content.length > FILE_LIMIT;
const incompleteProblem = ({ path }: BundleFile): FileProblem => {
  return { ...workbookProblems.bundleIncomplete(TOP, path), file: path };
};

export function secretProblems(
  path: string,
  content: Uint8Array,
  allowed: readonly string[] = [],
): FileProblem[] {
  if (allowed.includes(path)) return [];
  return findSecrets(path, content).map(({ line = 1, column = 1, what }) => {
    const at = { line, column, endColumn: column + 1 };
    return { ...workbookProblems.secret(at, path, what), file: path };
  });
}

/** SOURCE_DATE_EPOCH, as in reproducible builds, or the time of the newest source; never the current time. */
export function createdAt(newestMs: number, epoch = process.env.SOURCE_DATE_EPOCH): string {
  const seconds = epoch !== undefined && /^\d{1,11}$/.test(epoch.trim()) ? Number(epoch) : undefined;
  return new Date(seconds === undefined ? Math.floor(newestMs) : seconds * 1000).toISOString();
}
