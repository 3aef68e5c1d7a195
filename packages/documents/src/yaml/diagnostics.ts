/** What can be wrong with a text before it is any kind of document. */
import { didYouMean } from '@woof/expr/nearest';
import { error, warning } from '../problem.ts';
import type { Span } from './source.ts';
import { plainSyntax } from './syntax-words.ts';

export const yamlProblems = {
  tooLarge: (at: Span, size: number, limit: number) =>
    error(
      'yaml/too-large',
      at,
      `the text has ${size} characters, but Woof reads at most ${limit}`,
      'keep large data in files, and read them with a tool',
    ),
  controlCharacter: (at: Span, code: number) =>
    error(
      'yaml/control-character',
      at,
      `YAML does not allow the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
      'remove it, or write it as an escape inside double quotes',
    ),
  tooDeep: (at: Span, limit: number) =>
    error(
      'yaml/too-deep',
      at,
      `lists and maps are nested more than ${limit} levels deep`,
      'flatten the structure',
    ),
  syntax: (at: Span, said: string) => {
    const { message, hint } = plainSyntax(said);
    return error('yaml/syntax', at, message, hint);
  },
  tabIndent: (at: Span) =>
    error('yaml/tab-indent', at, 'YAML does not allow tabs as indentation', 'use spaces'),
  multipleDocuments: (at: Span) =>
    error('yaml/multiple-documents', at, 'a second YAML document starts here', 'keep one document per file'),
  duplicateKey: (at: Span, key: string, firstLine: number) =>
    error(
      'yaml/duplicate-key',
      at,
      `the key "${key}" is already used on line ${firstLine}`,
      'remove or rename one of the two',
    ),
  keyNotScalar: (at: Span) =>
    error(
      'yaml/key-not-text',
      at,
      'a key must be text, got a list, a map or nothing',
      'write a name, or put the key in quotes',
    ),
  keyNotText: (at: Span, key: string) =>
    warning(
      'yaml/key-as-text',
      at,
      `Woof reads the key ${key} as the text "${key}"`,
      `put it in quotes: "${key}"`,
    ),
  unknownAlias: (at: Span, name: string, anchors: Iterable<string>) =>
    error(
      'yaml/unknown-alias',
      at,
      `no complete anchor &${name} before this alias`,
      didYouMean(name, anchors) ?? `define &${name} further up, and end its value before the alias`,
    ),
  aliasBomb: (at: Span, limit: number) =>
    error(
      'yaml/alias-bomb',
      at,
      `the aliases expand to more than ${limit} values`,
      'write the data out, or load it with a tool',
    ),
  badMerge: (at: Span, got: string) =>
    error(
      'yaml/bad-merge',
      at,
      `a merge key << takes a map, an alias of a map, or a list of these, got ${got}`,
      'give it a map',
    ),
  unknownTag: (at: Span, tag: string) =>
    error('yaml/unknown-tag', at, `Woof does not know the tag ${tag}`, 'remove the tag'),
  notJson: (at: Span, got: string) =>
    error(
      'yaml/not-json',
      at,
      `${got} is not a finite number, and JSON has no other numbers`,
      'write a finite number, or put it in quotes to keep it as text',
    ),
  tooLong: (at: Span, digits: number, limit: number) =>
    error(
      'yaml/number-too-long',
      at,
      `this number has ${digits} digits, but Woof reads at most ${limit}`,
      'put it in quotes to keep it as text',
    ),
};
