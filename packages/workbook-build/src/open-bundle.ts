/** The sources in a page, or why they cannot be read. */
import {
  attributeOf,
  elementsOf,
  faultProblem,
  hasBundleType,
  isBundle,
  PageTooLarge,
  parseHtml,
  placeOf,
  readBundleTag,
  type SourceBundle,
  textOf,
  unpackBundle,
  type WorkbookKind,
  workbookOf,
  workbookProblems,
} from '@woof/documents/workbook';
import { gunzip } from './node-gzip.ts';
import { readPage } from './read-page.ts';
import { type FileProblem, Refused } from './refused.ts';

const TOP = { line: 1, column: 1, endColumn: 2 };

export interface OpenBundle extends SourceBundle {
  kind: WorkbookKind;
}

export function openBundle(file: string): OpenBundle {
  const text = readPage(file);
  const refuse = (...problems: Omit<FileProblem, 'file'>[]) =>
    new Refused(
      problems.map((problem) => ({ ...problem, file })),
      () => text,
    );
  const tree = parsed(text, refuse);
  const { isHtml, kind } = workbookOf(tree);
  if (!isHtml) throw refuse(workbookProblems.notHtml(TOP));
  const [tag, second] = [...elementsOf(tree.document)].filter(isBundle);
  if (!tag) throw refuse({ ...workbookProblems.noBundle(TOP), severity: 'error' });
  if (second) throw refuse(workbookProblems.duplicateTag(placeOf(second), 'the source bundle'));
  if (!hasBundleType(tag)) throw refuse(workbookProblems.bundleType(placeOf(tag), attributeOf(tag, 'type')));
  const { bundle, faults } = unpackBundle(
    readBundleTag((name) => attributeOf(tag, name), textOf(tag)),
    gunzip,
  );
  // Attributes that disagree with the content are for `woof check`: the content counts.
  if (bundle) return { ...bundle, kind };
  throw refuse(...faults.map((fault) => faultProblem(placeOf(tag), fault)));
}

function parsed(text: string, refuse: (problem: Omit<FileProblem, 'file'>) => Refused) {
  try {
    return parseHtml(text);
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    throw refuse(workbookProblems.tooLarge(TOP, `the page has ${error.message}`));
  }
}
