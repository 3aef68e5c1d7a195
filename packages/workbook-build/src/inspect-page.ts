/** What a page declares about itself, and which sources it contains, without running it. */
import {
  faultProblem,
  PageTooLarge,
  type Permission,
  parseHtml,
  type SourceBundle,
  unpackBundle,
  type WorkbookKind,
  workbookOf,
  workbookProblems,
} from '@woof/documents/workbook';
import { gunzip } from './node-gzip.ts';
import { readPage } from './read-page.ts';
import { Refused } from './refused.ts';

export interface Inspection {
  title: string;
  lang?: string;
  kind: WorkbookKind;
  /** Whether it declares the permissions that it needs. */
  declared: boolean;
  permissions: { name: Permission; reason?: string }[];
  unknown: string[];
  /** The version of the runtime in it. */
  runtime?: string;
  sizes: { page: number; bundle: number };
  bundle?: InspectedBundle;
  /** What is wrong with the bundle; `woof check` reports more. */
  faults: string[];
}

interface InspectedBundle {
  version: string;
  rootName: string;
  createdAt: string;
  files: { path: string; size: number; mode: number; truncated?: true }[];
}

const TOP = { line: 1, column: 1, endColumn: 2 };

export function inspectPage(file: string): Inspection {
  const text = readPage(file);
  const workbook = parsed(text, file);
  if (!workbook.isHtml) throw new Refused([{ ...workbookProblems.notHtml(TOP), file }]);
  const { title, lang, kind, declared, permissions, reasons, unknown, runtime, bundle: tag } = workbook;
  const unpacked = tag && unpackBundle(tag, gunzip);
  return {
    title,
    ...(lang ? { lang } : {}),
    kind,
    declared,
    permissions: permissions.map((name) => ({ name, ...(reasons[name] ? { reason: reasons[name] } : {}) })),
    unknown,
    ...(runtime ? { runtime } : {}),
    sizes: { page: Buffer.byteLength(text), bundle: tag?.content.length ?? 0 },
    ...(tag && unpacked?.bundle ? { bundle: inspected(tag.version, unpacked.bundle) } : {}),
    faults: (unpacked?.faults ?? []).map((fault) => faultProblem(TOP, fault).message),
  };
}

function parsed(text: string, file: string) {
  try {
    return workbookOf(parseHtml(text));
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    throw new Refused([{ ...workbookProblems.tooLarge(TOP, `the page has ${error.message}`), file }]);
  }
}

function inspected(version: string, { rootName, createdAt, files }: SourceBundle): InspectedBundle {
  return {
    version,
    rootName,
    createdAt,
    files: files.map(({ path, content, mode, originalSize = 0 }) =>
      content ? { path, size: content.length, mode } : { path, size: originalSize, mode, truncated: true },
    ),
  };
}
