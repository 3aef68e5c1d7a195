/**
 * Everything that can be wrong with a notebook: one named constructor a problem, so that each message is written once
 * and each code has its entry in docs/diagnostics.md.
 */
import { didYouMean } from '@woof/expr/nearest';
import { memberOf, ofWoof } from '@woof/net';
import { error, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';

const quoted = (words: Iterable<string>) => [...words].map((word) => `"${word}"`).join(', ');
const oneOf = (words: readonly string[]) => `use one of ${quoted(words)}`;
const cellName = (id: string) => (id === '' ? 'the cell' : `cell "${shorten(id)}"`);
const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

const structure = {
  noMagic: (at: Span) =>
    error(
      'notebook/missing-magic',
      at,
      'a notebook starts with the line `%WOOFNB 1.0`',
      'add it as the first line',
    ),
  lateMagic: (at: Span, line: number) =>
    error(
      'notebook/late-magic',
      at,
      `the magic line must be the first line of the file, without blanks before it; it is on line ${line}`,
      'remove what stands before it; `woof fmt` does',
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
      `this is version ${got} of the format; this program reads version 1`,
      'use a program that reads it',
    ),
  newerVersion: (at: Span, got: string) =>
    warning(
      'notebook/newer-version',
      at,
      `version ${got} is newer than 1.0: what 1.0 does not know is kept and ignored`,
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
      `this line is part of the body of ${cellName(id)}`,
      'close the cell above, or give it a longer fence if the line belongs to it',
    ),
  noCells: (at: Span) => warning('notebook/no-cells', at, 'the notebook has no cells'),
  strayFence: (at: Span) =>
    warning('notebook/stray-fence', at, 'this fence closes nothing', '`woof fmt` removes it'),
  textOutside: (at: Span) =>
    warning(
      'notebook/text-outside-cells',
      at,
      'text outside cells is kept but is part of no cell',
      'put it in a cell of type md',
    ),
};

const header = {
  headerBraces: (at: Span) =>
    error('notebook/unquoted-braces', at, 'an unquoted {{ … }} is a map in YAML', 'put it in quotes'),
  headerNotMap: (at: Span) => error('notebook/header-not-a-map', at, 'the header must be `key: value` lines'),
  missingKey: (at: Span, key: string) =>
    error('notebook/missing-key', at, `the header has no \`${key}\``, `add \`${key}: …\``),
  wrongType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('notebook/wrong-type', at, `${what} must be ${expected}, got ${got}`, hint),
  looseType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    warning('notebook/loose-type', at, `${what} should be ${expected}, got ${got}`, hint),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error(
      'notebook/not-one-of',
      at,
      `${what} cannot be "${shorten(got)}"`,
      didYouMean(got, allowed) ?? oneOf(allowed),
    ),
  unknownKey: (at: Span, what: string, key: string, hint: string | undefined) =>
    warning('notebook/unknown-key', at, `${what} has no key "${shorten(key)}"; it is ignored`, hint),
  unknownLanguage: (at: Span, got: string, hint: string) =>
    warning('notebook/unknown-language', at, `no language "${shorten(got)}"`, hint),
};

const tokens = {
  missingToken: (at: Span, id: string, key: string) =>
    error('notebook/missing-token', at, `${cellName(id)} has no \`${key}\``, `add \`${key}=…\``),
  badToken: (at: Span, got: string, hint: string) =>
    error('notebook/bad-token', at, `"${shorten(got)}" is no \`key=value\``, hint),
  unclosedQuote: (at: Span, key: string) =>
    error('notebook/unclosed-quote', at, `the value of \`${shorten(key)}\` has no closing quote`, 'add `"`'),
  duplicateToken: (at: Span, key: string) =>
    error('notebook/duplicate-token', at, `\`${shorten(key)}\` is given twice`, 'remove one of them'),
  unknownToken: (at: Span, key: string, hint: string | undefined) =>
    warning(
      'notebook/unknown-token',
      at,
      `no cell key \`${shorten(key)}\`; it is ignored`,
      hint ?? 'keys of your own start with `x-`',
    ),
  reservedToken: (at: Span, key: string) =>
    warning('notebook/reserved-token', at, `\`${key}\` is reserved: this version keeps and ignores it`),
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
      `cell "${shorten(id)}" is already on line ${firstLine}`,
      'rename one of them; `woof fmt --fix` renames the later one',
    ),
  unknownType: (at: Span, got: string, types: readonly string[]) =>
    error(
      'notebook/unknown-type',
      at,
      `no cell type "${shorten(got)}"`,
      didYouMean(got, types) ?? oneOf(types),
    ),
  badValue: (at: Span, key: string, expected: string, got: string) =>
    error('notebook/bad-value', at, `\`${key}\` must be ${expected}, got "${shorten(got)}"`),
};

interface Limited {
  id: string;
  /** 0: none. */
  mb: number;
}

const limit = ({ mb }: Limited) => (mb === 0 ? 'no memory limit' : `memory_mb=${mb}`);

const effects = {
  unknownEffect: (at: Span, got: string, words: readonly string[]) =>
    error(
      'notebook/unknown-effect',
      at,
      `no effect "${shorten(got)}"`,
      didYouMean(got, words) ?? oneOf(words),
    ),
  effectConflict: (at: Span) =>
    error(
      'notebook/effect-conflict',
      at,
      '`none` and another effect cannot stand together',
      'leave one of them out',
    ),
  policyConflict: (at: Span, id: string, effect: string, key: string) =>
    error(
      'notebook/policy-conflict',
      at,
      `${cellName(id)} declares ${effect}, which io_policy does not allow`,
      `say \`${key}: true\` under io_policy, or remove the effect`,
    ),
  undeclaredShell: (at: Span, id: string) =>
    warning(
      'notebook/undeclared-shell',
      at,
      `${cellName(id)} is bash, which starts programs, and does not declare shell: it will be refused`,
      'say `sidefx=shell`, and `allow_shell: true` under io_policy',
    ),
  memoryDiffers: (at: Span, cell: Limited, other: Limited) =>
    warning(
      'notebook/memory-differs',
      at,
      `${cellName(cell.id)} has ${limit(cell)}, and ${cellName(other.id)} in the same kernel has ${limit(other)}: what earlier cells leave in the kernel counts against the limit of the cell that runs`,
      'give them the same `memory_mb`, or say `sidefx=isolated`',
    ),
  impliedFiles: (at: Span, id: string) =>
    warning(
      'notebook/implied-files',
      at,
      `${cellName(id)} declares shell, which implies files; io_policy does not allow those`,
      'say `allow_files: true` under io_policy if it needs them',
    ),
};

const deps = {
  unknownDep: (at: Span, got: string, ids: Iterable<string>) =>
    error(
      'notebook/unknown-dep',
      at,
      `no cell "${shorten(got)}"`,
      didYouMean(got, ids) ?? 'deps names cells of this notebook',
    ),
  selfDep: (at: Span, id: string) =>
    error('notebook/self-dep', at, `cell "${shorten(id)}" depends on itself`, 'remove it from deps'),
  duplicateDep: (at: Span, id: string) =>
    warning('notebook/duplicate-dep', at, `"${shorten(id)}" is named twice in deps`),
  cycle: (at: Span, path: readonly string[]) =>
    error(
      'notebook/cycle',
      at,
      `these cells wait for each other: ${path.map(shorten).join(' → ')}`,
      'remove one of the deps',
    ),
  laterDep: (at: Span, id: string) =>
    warning(
      'notebook/later-dep',
      at,
      `cell "${shorten(id)}" stands below, and cells run in the order of the file`,
      'move it up, or say `order: graph` under execution',
    ),
  idleDep: (at: Span, id: string, type: string) =>
    warning('notebook/idle-dep', at, `cell "${shorten(id)}" is of type ${type} and does not run`),
  disabledDep: (at: Span, id: string) =>
    warning('notebook/disabled-dep', at, `cell "${shorten(id)}" is disabled, so it provides nothing`),
};

const bodies = {
  badData: (at: Span, id: string, message: string) =>
    error('notebook/bad-data', at, `the body of ${cellName(id)} cannot be read as JSON or YAML: ${message}`),
  badViz: (at: Span, id: string, message: string) =>
    error('notebook/bad-viz', at, `the body of ${cellName(id)} cannot be read as JSON: ${message}`),
  csvData: (at: Span, id: string) =>
    error(
      'notebook/csv-data',
      at,
      `the body of ${cellName(id)} looks like CSV; data is JSON or YAML`,
      'write a list of records (`- {name: Ada, n: 1}`), or read the text in a code cell: in YAML, `|` and indented lines make it a text',
    ),
  foreignName: (
    at: Span,
    name: string,
    { giver, of, language }: { giver: string; of: string; language: string },
  ) =>
    warning(
      'notebook/name-of-other-language',
      at,
      `\`${shorten(name)}\` is a variable of cell "${shorten(giver)}", which is ${of}; this cell is ${language}`,
      `add \`${shorten(giver)}\` to deps and write \`${memberOf(giver, name, language)}\``,
    ),
  dataIdNoName: (at: Span, id: string, language: string) =>
    warning(
      'notebook/data-id-not-a-name',
      at,
      `"${shorten(id)}" is the id of a data cell and not a name in ${language}`,
      `write \`${ofWoof(shorten(id))}\``,
    ),
  hiddenName: (at: Span, name: string, definedBy: string) =>
    warning(
      'notebook/name-outside-deps',
      at,
      `\`${shorten(name)}\` is defined in cell "${shorten(definedBy)}", which this cell does not depend on`,
      `add \`${shorten(definedBy)}\` to deps`,
    ),
};

const sidecar = {
  sidecarLine: (at: Span) =>
    warning('notebook/sidecar-line', at, 'this line is no entry of a sidecar; it is passed over'),
};

/** A Jupyter file is JSON without places: each problem names the part instead. */
const ipynb = {
  ipynbSyntax: (at: Span, message: string) =>
    error('notebook/ipynb-syntax', at, `this is not a Jupyter notebook: ${message}`),
  ipynbShape: (at: Span, part: string, expected: string) =>
    error('notebook/ipynb-shape', at, `${part} must be ${expected}`, 'save the file again with Jupyter'),
  ipynbVersion: (at: Span, got: string) =>
    error('notebook/ipynb-version', at, `nbformat ${got} is not read`, 'use a file of nbformat 3 or 4'),
  ipynbTooDeep: (at: Span, limit: number) =>
    error('notebook/ipynb-too-deep', at, `the file is nested more than ${limit} levels deep`),
  ipynbPart: (at: Span, part: string, expected: string, instead: string) =>
    warning('notebook/ipynb-part', at, `${part} should be ${expected}; ${instead}`),
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
