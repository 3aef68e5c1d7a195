/** What can be wrong with a text as a document, before its kind is known. */
import { error } from './problem.ts';
import type { Span } from './yaml/source.ts';

export const documentProblems = {
  empty: (at: Span) =>
    error(
      'document/empty',
      at,
      'the file contains no document',
      'write a playbook, a workflow or a notebook',
    ),
  notUtf8: (at: Span, byte: number) =>
    error(
      'document/not-text',
      at,
      `the byte 0x${byte.toString(16).padStart(2, '0')} here is not valid UTF-8`,
      'save the file as UTF-8, for example with `iconv -f latin1 -t utf-8`',
    ),
  unknown: (
    at: Span,
    hint = 'a playbook has `kind: Playbook`, a workflow has `stages`, and a notebook starts with `%WOOFNB 1.0`',
  ) => error('document/unknown-kind', at, 'this file is not a playbook, a workflow or a notebook', hint),
  page: (at: Span) =>
    documentProblems.unknown(
      at,
      'it is an HTML page: open it with `woof open FILE`, or extract its sources with `woof unbundle FILE`',
    ),
  jupyter: (at: Span) =>
    documentProblems.unknown(at, 'it is a Jupyter notebook: convert it with `woof import FILE`'),
  cannotFormat: (at: Span) =>
    error(
      'document/cannot-format',
      at,
      'Woof cannot format this file and keep both its data and its comments',
      'simplify its anchors, comments or block scalars',
    ),
};
