/**
 * Everything that can be wrong with a notebook: one named constructor per problem, so that each message is written once
 * and each code has its entry in docs/diagnostics.md.
 */
import { didYouMean } from '@woof/expr/nearest';
import { memberOf, ofWoof } from '@woof/net';
import { cannotBe, error, mustBe, oneOf, shouldBe, subject, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';
import { typeHint } from './meant-words.ts';

const cellName = (id: string) => (id === '' ? 'the cell' : `cell "${shorten(id)}"`);
const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

const structure = {
  noMagic: (at: Span) =>
    error(
      'notebook/missing-magic',
      at,
      'a notebook must start with the line `%WOOFNB 1.0`',
      'add it as the first line',
    ),
  lateMagic: (at: Span, line: number) =>
    error(
      'notebook/late-magic',
      at,
      `the magic line must be the first line of the file, with nothing before it, found on line ${line}`,
      'remove what comes before it, or run `woof fmt`',
    ),
  badMagic: (at: Span) =>
    error(
      'notebook/bad-magic',
      at,
      'the magic line must be `%WOOFNB <major>.<minor>`',
      'write `%WOOFNB 1.0`',
    ),
  unsupportedVersion: (at: Span, got: string) =>
    error(
      'notebook/unsupported-version',
      at,
      `this notebook has version ${got} of the format, but this Woof reads only version 1`,
      'use a version of Woof that reads it',
    ),
  newerVersion: (at: Span, got: string) =>
    warning(
      'notebook/newer-version',
      at,
      `version ${got} is newer than 1.0: Woof keeps but ignores what 1.0 does not have`,
      'update Woof to use it',
    ),
  unclosedCell: (at: Span, id: string) =>
    error(
      'notebook/unclosed-cell',
      at,
      `${cellName(id)} is not closed`,
      'end it with a line of as many backticks as it starts with',
    ),
  cellInCell: (at: Span, id: string) =>
    warning(
      'notebook/cell-in-cell',
      at,
      `this line looks like a new cell, but it is in the body of ${cellName(id)}`,
      'close that cell before this line, or give it a longer fence if the line belongs to its body',
    ),
  noCells: (at: Span) =>
    warning('notebook/no-cells', at, 'the notebook has no cells', 'add a cell: ```cell id=first type=code'),
  strayFence: (at: Span) =>
    warning('notebook/stray-fence', at, 'this fence closes no cell', 'remove it, or run `woof fmt`'),
  otherFence: (at: Span) =>
    error(
      'notebook/other-fence',
      at,
      'this fence does not open a cell, and the header cannot contain another fence',
      'write ```cell id=first type=code',
    ),
  textOutside: (at: Span) =>
    warning(
      'notebook/text-outside-cells',
      at,
      'Woof keeps this text, but it is not part of a cell',
      'put it in a cell of type md',
    ),
};

const header = {
  headerBraces: (at: Span) =>
    error(
      'notebook/unquoted-braces',
      at,
      'YAML reads an unquoted {{ … }} as a map',
      'put it in quotes: "{{ … }}"',
    ),
  headerNotMap: (at: Span) =>
    error(
      'notebook/header-not-a-map',
      at,
      'the header must be a map',
      'write lines of the form `key: value`',
    ),
  missingKey: (at: Span, key: string) =>
    error('notebook/missing-key', at, `the header has no \`${key}\``, `add \`${key}: …\``),
  wrongType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('notebook/wrong-type', at, mustBe(what, expected, got), hint),
  looseType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    warning('notebook/loose-type', at, shouldBe(what, expected, got), hint),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error(
      'notebook/not-one-of',
      at,
      cannotBe(what, shorten(got)),
      didYouMean(got, allowed) ?? oneOf(allowed),
    ),
  unknownKey: (at: Span, what: string, key: string, hint: string | undefined) =>
    warning(
      'notebook/unknown-key',
      at,
      `${subject(what)} has no key "${shorten(key)}", so Woof ignores it`,
      hint ?? 'remove it, or prefix it with `x-` if it is a custom key',
    ),
  unknownLanguage: (at: Span, got: string, hint: string) =>
    warning('notebook/unknown-language', at, `no language "${shorten(got)}"`, hint),
};

const tokens = {
  missingToken: (at: Span, id: string, key: string) =>
    error('notebook/missing-token', at, `${cellName(id)} has no \`${key}\``, `add \`${key}=…\``),
  badToken: (at: Span, got: string, hint: string) =>
    error('notebook/bad-token', at, `expected \`key=value\`, got \`${shorten(got)}\``, hint),
  spacedToken: (at: Span, text: string) =>
    error(
      'notebook/spaced-token',
      at,
      'a token cannot contain spaces outside of quotes',
      `write \`${shorten(text)}\``,
    ),
  unclosedQuote: (at: Span, key: string) =>
    error(
      'notebook/unclosed-quote',
      at,
      `the value of \`${shorten(key)}\` has no closing quote`,
      'add `"` at its end',
    ),
  duplicateToken: (at: Span, key: string) =>
    error('notebook/duplicate-token', at, `the cell has \`${shorten(key)}\` twice`, 'remove one of the two'),
  unknownToken: (at: Span, key: string, hint: string | undefined) =>
    warning(
      'notebook/unknown-token',
      at,
      `a cell has no key \`${shorten(key)}\`, so Woof ignores it`,
      hint ?? 'remove it, or prefix it with `x-` if it is a custom key',
    ),
  reservedToken: (at: Span, key: string) =>
    warning(
      'notebook/reserved-token',
      at,
      `\`${key}\` is reserved: Woof keeps it but ignores it`,
      'remove it, unless another program needs it',
    ),
  badId: (at: Span, got: string) =>
    error(
      'notebook/bad-id',
      at,
      got === '' ? 'the id is empty' : `"${shorten(got)}" cannot be an id`,
      'use letters, digits, `.`, `_` and `-`, but not `.` or `..` alone',
    ),
  duplicateId: (at: Span, id: string, firstLine: number) =>
    error(
      'notebook/duplicate-id',
      at,
      `cell "${shorten(id)}" is already defined on line ${firstLine}`,
      'rename one of the two; `woof fmt --fix` renames the later one',
    ),
  unknownType: (at: Span, got: string, types: readonly string[]) =>
    error(
      'notebook/unknown-type',
      at,
      `no cell type "${shorten(got)}"`,
      typeHint(got, types) ?? oneOf(types),
    ),
  badValue: (at: Span, key: string, expected: string, got: string) =>
    error('notebook/bad-value', at, `\`${key}\` must be ${expected}, got "${shorten(got)}"`),
};

interface Limited {
  id: string;
  /** 0: no limit. */
  mb: number;
}

const limit = ({ mb }: Limited) => (mb === 0 ? 'no memory limit' : `memory_mb=${mb}`);

/** Other words for effects that share too few letters to count as typos. */
const MEANT_EFFECTS = new Map([
  ['network', 'net'],
  ['http', 'net'],
  ['files', 'fs'],
  ['filesystem', 'fs'],
  ['bash', 'shell'],
]);

const effects = {
  unknownEffect: (at: Span, got: string, words: readonly string[]) =>
    error(
      'notebook/unknown-effect',
      at,
      got === '' ? '`sidefx` names no effect' : `no effect "${shorten(got)}"`,
      MEANT_EFFECTS.has(got)
        ? `did you mean "${MEANT_EFFECTS.get(got)}"?`
        : (didYouMean(got, words) ?? oneOf(words)),
    ),
  effectConflict: (at: Span) =>
    error(
      'notebook/effect-conflict',
      at,
      '`sidefx` cannot name `none` together with another effect',
      'remove one of them',
    ),
  policyConflict: (at: Span, id: string, effect: string, key: string, isOfType: boolean) =>
    error(
      'notebook/policy-conflict',
      at,
      `${cellName(id)} declares the effect ${effect}, but \`io_policy\` does not allow it`,
      `add \`${key}: true\` to \`io_policy\` in the header, or ${isOfType ? 'change the type of the cell' : 'remove the effect'}`,
    ),
  undeclaredShell: (at: Span, id: string) =>
    warning(
      'notebook/undeclared-shell',
      at,
      `${cellName(id)} is bash, which starts programs, but does not declare the effect shell: Woof refuses to run it`,
      'add `sidefx=shell` to the cell, and `allow_shell: true` to `io_policy` in the header',
    ),
  memoryDiffers: (at: Span, cell: Limited, other: Limited) =>
    warning(
      'notebook/memory-differs',
      at,
      `${cellName(cell.id)} has ${limit(cell)}, but ${cellName(other.id)} in the same kernel has ${limit(other)}: what earlier cells leave in the kernel counts against the limit of the cell that runs`,
      'give them the same `memory_mb`, or add `sidefx=isolated`',
    ),
  impliedFiles: (at: Span, id: string) =>
    warning(
      'notebook/implied-files',
      at,
      `${cellName(id)} declares the effect shell, which implies files, but \`io_policy\` does not allow files`,
      'if the cell needs files, add `allow_files: true` to `io_policy` in the header',
    ),
};

const deps = {
  unknownDep: (at: Span, got: string, ids: Iterable<string>) =>
    error(
      'notebook/unknown-dep',
      at,
      `no cell "${shorten(got)}"`,
      didYouMean(got, ids) ?? 'write ids of cells of this notebook in `deps`',
    ),
  selfDep: (at: Span, id: string) =>
    error('notebook/self-dep', at, `cell "${shorten(id)}" depends on itself`, 'remove it from `deps`'),
  duplicateDep: (at: Span, id: string) =>
    warning(
      'notebook/duplicate-dep',
      at,
      `\`deps\` names cell "${shorten(id)}" twice`,
      'remove one of the two',
    ),
  cycle: (at: Span, path: readonly string[]) =>
    error(
      'notebook/cycle',
      at,
      `these cells depend on each other: ${path.map(shorten).join(' → ')}`,
      'remove one of these dependencies',
    ),
  laterDep: (at: Span, id: string) =>
    warning(
      'notebook/later-dep',
      at,
      `cell "${shorten(id)}" comes later, but cells run in the order of the file`,
      'move it up, or set `order: graph` under `execution`',
    ),
  idleDep: (at: Span, id: string, type: string) =>
    warning(
      'notebook/idle-dep',
      at,
      `cell "${shorten(id)}" has the type ${type}, so it does not run`,
      'remove it from `deps`',
    ),
  disabledDep: (at: Span, id: string) =>
    warning(
      'notebook/disabled-dep',
      at,
      `cell "${shorten(id)}" is disabled, so it provides nothing`,
      'enable it, or remove it from `deps`',
    ),
};

const bodies = {
  badData: (at: Span, id: string, message: string, hint?: string) =>
    error('notebook/bad-data', at, `the body of ${cellName(id)} is not valid JSON or YAML: ${message}`, hint),
  badViz: (at: Span, id: string, message: string) =>
    error(
      'notebook/bad-viz',
      at,
      `the body of ${cellName(id)} is not valid JSON: ${message}`,
      'write the specification as JSON',
    ),
  csvData: (at: Span, id: string) =>
    error(
      'notebook/csv-data',
      at,
      `the body of ${cellName(id)} looks like CSV, but data must be JSON or YAML`,
      'write a list of records (`- {name: Ada, n: 1}`), or write one text (`|` and indented lines in YAML) and parse it in a code cell',
    ),
  foreignName: (
    at: Span,
    name: string,
    { giver, of, language }: { giver: string; of: string; language: string },
  ) =>
    warning(
      'notebook/name-of-other-language',
      at,
      `\`${shorten(name)}\` is a variable of cell "${shorten(giver)}", which is ${of}, but this cell is ${language}`,
      `add \`${shorten(giver)}\` to \`deps\` and write \`${memberOf(giver, name, language)}\``,
    ),
  dataIdNoName: (at: Span, id: string, language: string) =>
    warning(
      'notebook/data-id-not-a-name',
      at,
      `"${shorten(id)}" is the id of a data cell, but not a name in ${language}`,
      `write \`${ofWoof(shorten(id), language)}\``,
    ),
  hiddenName: (at: Span, name: string, definedBy: string) =>
    warning(
      'notebook/name-outside-deps',
      at,
      `cell "${shorten(definedBy)}" defines \`${shorten(name)}\`, but this cell does not depend on it`,
      `add \`${shorten(definedBy)}\` to \`deps\``,
    ),
};

const sidecar = {
  sidecarLine: (at: Span) =>
    warning(
      'notebook/sidecar-line',
      at,
      'this line is not JSON with `cell` and `outputs`, so Woof skips it',
      'remove the line, or run the notebook again',
    ),
};

const SAVE_AGAIN = 'save the file again with Jupyter';

/** A Jupyter file is parsed as JSON without positions, so each problem names the part instead. */
const ipynb = {
  ipynbSyntax: (at: Span, message: string) =>
    error('notebook/ipynb-syntax', at, `this file is not JSON: ${message}`, SAVE_AGAIN),
  ipynbShape: (at: Span, part: string, expected: string) =>
    error('notebook/ipynb-shape', at, `${subject(part)} must be ${expected}`, SAVE_AGAIN),
  ipynbVersion: (at: Span, got: string) =>
    error(
      'notebook/ipynb-version',
      at,
      `Woof does not read nbformat ${got}`,
      'save the file as nbformat 4 (Woof also reads 3)',
    ),
  ipynbTooDeep: (at: Span, limit: number) =>
    error(
      'notebook/ipynb-too-deep',
      at,
      `the file is nested more than ${limit} levels deep`,
      'remove the deeply nested outputs or metadata',
    ),
  ipynbPart: (at: Span, part: string, expected: string, instead: string) =>
    warning('notebook/ipynb-part', at, `${subject(part)} should be ${expected}: ${instead}`, SAVE_AGAIN),
};

export const notebookProblems = {
  ...structure,
  ...header,
  ...tokens,
  ...effects,
  ...deps,
  ...bodies,
  ...sidecar,
  ...ipynb,
};
