/** What can be wrong with a text as a document, before its kind is known. */
import { error } from './problem.ts';
import type { Span } from './yaml/source.ts';

export const documentProblems = {
  empty: (at: Span) => error('document/empty', at, 'there is no document in this file'),
  notUtf8: (at: Span, byte: number) =>
    error(
      'document/not-text',
      at,
      `the byte 0x${byte.toString(16).padStart(2, '0')} here is no UTF-8`,
      'save the file as UTF-8, for example with: iconv -f latin1 -t utf-8',
    ),
  unknown: (at: Span) =>
    error(
      'document/unknown-kind',
      at,
      'this is no document that Woof knows',
      'a playbook says `kind: Playbook`; a workflow has `stages` and `edges`',
    ),
  cannotFormat: (at: Span) =>
    error(
      'document/cannot-format',
      at,
      'this file cannot be formatted without changing what it says',
      'simplify its anchors, comments or block scalars',
    ),
};
