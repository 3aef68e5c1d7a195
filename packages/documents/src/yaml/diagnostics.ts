/** What can be wrong with a text before it is any kind of document. */
import { error, warning } from '../problem.ts';
import type { Span } from './source.ts';

export const yamlProblems = {
  tooLarge: (at: Span, size: number, limit: number) =>
    error(
      'yaml/too-large',
      at,
      `the text has ${size} characters; at most ${limit} are read`,
      'keep large data in files',
    ),
  controlCharacter: (at: Span, code: number) =>
    error(
      'yaml/control-character',
      at,
      `control character U+${code.toString(16).toUpperCase().padStart(4, '0')} is not allowed in YAML`,
      'remove it, or write it as an escape inside double quotes',
    ),
  tooDeep: (at: Span, limit: number) =>
    error('yaml/too-deep', at, `nested more than ${limit} levels deep`, 'flatten the structure'),
  syntax: (at: Span, message: string) => error('yaml/syntax', at, message),
  tabIndent: (at: Span) => error('yaml/tab-indent', at, 'a tab cannot indent YAML', 'use spaces'),
  multipleDocuments: (at: Span) =>
    error('yaml/multiple-documents', at, 'a second document starts here', 'keep one document a file'),
  duplicateKey: (at: Span, key: string, firstLine: number) =>
    error(
      'yaml/duplicate-key',
      at,
      `key "${key}" is already on line ${firstLine}`,
      'remove or rename one of them',
    ),
  keyNotScalar: (at: Span) =>
    error('yaml/key-not-text', at, 'a key must be text, got a list, a map or nothing', 'quote the key'),
  keyNotText: (at: Span, key: string) =>
    warning(
      'yaml/key-as-text',
      at,
      `the key ${key} is read as the text "${key}"`,
      `write "${key}" with quotes`,
    ),
  unknownAlias: (at: Span, name: string) =>
    error('yaml/unknown-alias', at, `no complete anchor &${name} before this alias`),
  aliasBomb: (at: Span, limit: number) =>
    error(
      'yaml/alias-bomb',
      at,
      `aliases expand to more than ${limit} values`,
      'write the data out, or load it',
    ),
  badMerge: (at: Span) =>
    error('yaml/bad-merge', at, 'a merge key << takes a map, an alias of a map, or a list of those'),
  unknownTag: (at: Span, message: string) => error('yaml/unknown-tag', at, message, 'remove the tag'),
  notJson: (at: Span, got: string) =>
    error('yaml/not-json', at, `${got} has no place in JSON`, 'write a finite number, or quote it as text'),
  tooLong: (at: Span, digits: number, limit: number) =>
    error(
      'yaml/number-too-long',
      at,
      `a number has ${digits} digits, and at most ${limit} are read`,
      'quote it to keep it as text',
    ),
};
