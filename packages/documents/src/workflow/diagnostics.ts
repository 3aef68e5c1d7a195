/**
 * Everything that can be wrong with a workflow: one named constructor a problem, so that each message is written
 * once and each code has its entry in docs/diagnostics.md.
 */
import { didYouMean } from '@woof/expr/nearest';
import { error, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';

const MAX_LISTED = 20;
const list = (words: Iterable<string>) => {
  const all = [...words];
  const named = all.slice(0, MAX_LISTED).map((word) => `"${word}"`);
  return [...named, ...(all.length > MAX_LISTED ? ['…'] : [])].join(', ') || 'none';
};
const arrows = (path: readonly string[]) =>
  (path.length > MAX_LISTED ? [...path.slice(0, MAX_LISTED), '…', path.at(-1)] : path).join(' → ');

const shape = {
  unquotedTemplate: (at: Span) =>
    error(
      'workflow/unquoted-template',
      at,
      'an unquoted {{ … }} is a map in YAML, not text',
      'put it in quotes: "{{ … }}"',
    ),
  wrongType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('workflow/wrong-type', at, `${what} must be ${expected}, got ${got}`, hint),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error(
      'workflow/not-one-of',
      at,
      `${what} cannot be "${got}"`,
      didYouMean(got, allowed) ?? `use one of ${list(allowed)}`,
    ),
  missing: (at: Span, what: string, field: string, hint?: string) =>
    error('workflow/missing-field', at, `${what} has no \`${field}\``, hint),
  unknownKey: (at: Span, what: string, key: string, known: readonly string[]) =>
    warning(
      'workflow/unknown-key',
      at,
      `${what} has no field "${key}"`,
      didYouMean(key, known) ?? 'remove it, or prefix it with `x-` if it is yours',
    ),
  badNumber: (at: Span, what: string, expected: string, got: string) =>
    error('workflow/bad-number', at, `${what} must be ${expected}, got ${got}`),
  saidTwice: (at: Span, key: string) =>
    error(
      'workflow/said-twice',
      at,
      `\`${key}\` stands on the stage and in its config`,
      'remove one of them',
    ),
  idleKey: (at: Span, key: string, needs: string) =>
    warning('workflow/idle-key', at, `\`${key}\` says nothing without ${needs}`),
  tooLarge: (at: Span, what: string, limit: number) =>
    error(
      'workflow/too-large',
      at,
      `more than ${limit} ${what}`,
      'use smaller matrices, or split the workflow',
    ),
};

const graph = {
  noName: (at: Span) =>
    warning('workflow/no-name', at, 'the workflow has no name', 'runs are listed by it: add `name: …`'),
  noStages: (at: Span) =>
    error('workflow/no-stages', at, 'the workflow has no stages', 'add one under `stages`'),
  badId: (at: Span, id: string) =>
    error(
      'workflow/bad-id',
      at,
      `"${id}" cannot be the name of a folder`,
      'use letters, digits, "_", "-" and "."; begin with a letter, a digit or "_"; at most 100 bytes',
    ),
  duplicateId: (at: Span, id: string, firstLine: number) =>
    error('workflow/duplicate-id', at, `stage "${id}" is already on line ${firstLine}`, 'rename one of them'),
  unknownStage: (at: Span, id: string, stages: Iterable<string>) =>
    error('workflow/unknown-stage', at, `there is no stage "${id}"`, didYouMean(id, stages)),
  duplicateEdge: (at: Span, from: string, to: string, firstLine: number) =>
    warning(
      'workflow/duplicate-edge',
      at,
      `that "${to}" waits for "${from}" is already said on line ${firstLine}`,
      'remove one of them',
    ),
  cycle: (at: Span, path: readonly string[]) =>
    error(
      'workflow/cycle',
      at,
      `stages wait for each other: ${arrows(path)}`,
      'remove one of these edges; nothing on the way could ever start',
    ),
};

const conditions = {
  badCondition: (at: Span, message: string, hint?: string) =>
    error('workflow/bad-condition', at, message, hint),
  unknownName: (at: Span, key: string, known: readonly string[]) =>
    warning('workflow/unknown-name', at, `workload has no "${key}"`, didYouMean(key, known)),
  unreadableName: (at: Span, name: string, why: string, hint?: string) =>
    error('workflow/unreadable-name', at, `\`if\` cannot read "${name}": ${why}`, hint),
};

const matrices = {
  emptyMatrix: (at: Span, why: string) =>
    error('workflow/empty-matrix', at, `the matrix makes no stage: ${why}`),
  unusedExclude: (at: Span) =>
    warning('workflow/unused-exclude', at, 'no combination of the matrix has these values'),
  unknownMatrixKey: (at: Span, key: string, place: string, known: readonly string[]) =>
    error(
      'workflow/unknown-matrix-key',
      at,
      `${place} has no "${key}"`,
      didYouMean(key, known) ??
        (known.length > 0 ? `it has ${list(known)}` : 'add `matrix: {…}` to the stage'),
    ),
};

const blocks = {
  noCommands: (at: Span, id: string) =>
    error(
      'workflow/no-commands',
      at,
      `stage "${id}" has no commands`,
      'add `commands: [{program: …}]`, or say `kind: noop`',
    ),
  programWithBlanks: (at: Span, program: string) =>
    warning(
      'workflow/program-with-blanks',
      at,
      `"${program}" is taken as the name of one program`,
      'there is no shell: put what follows into `args`',
    ),
  escapingPath: (at: Span, what: string, path: string, base: string) =>
    error(
      'workflow/escaping-path',
      at,
      `${what} "${path}" leaves ${base}`,
      'use a relative path without ".."',
    ),
  badEnvName: (at: Span, name: string) =>
    error(
      'workflow/bad-env-name',
      at,
      `"${name}" cannot be the name of an environment variable`,
      'use letters, digits and "_"',
    ),
  policyBlocked: (at: Span, reason: string) =>
    warning(
      'workflow/policy-blocked',
      at,
      reason,
      'as it is, the stage will wait for a person: woof approve RUN STAGE --override',
    ),
  policyWarning: (at: Span, reason: string) => warning('workflow/policy-warning', at, reason),
  slurmOption: (at: Span, option: string) =>
    error('workflow/slurm-option', at, `Woof itself says ${option} to sbatch`, 'remove it from extra_args'),
};

export const problems = { ...shape, ...graph, ...conditions, ...matrices, ...blocks };
