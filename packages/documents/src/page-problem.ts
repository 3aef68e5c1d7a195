/** Recognises an HTML page that is given in place of a document. */
import type { Diagnostic } from '@woof/net';
import { documentProblems } from './diagnostics.ts';
import { Source } from './yaml/source.ts';

const BEFORE_PAGE = /\s*(?:<!--[\s\S]*?-->|<\?xml\b[\s\S]*?\?>)/y;
const PAGE = /\s*<(!doctype html|html)\b/iy;

/** Undefined if the text is not a page. */
export function pageProblem(text: string): Diagnostic | undefined {
  const start = afterComments(text);
  PAGE.lastIndex = start;
  const found = PAGE.exec(text)?.[0];
  if (found === undefined) return undefined;
  const tag = start + found.length - found.trimStart().length;
  return documentProblems.page(new Source(text).span(tag, start + found.length));
}

function afterComments(text: string): number {
  let end = 0;
  BEFORE_PAGE.lastIndex = 0;
  while (BEFORE_PAGE.test(text)) end = BEFORE_PAGE.lastIndex;
  return end;
}
