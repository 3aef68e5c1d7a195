/**
 * Everything that can be wrong with a workflow: one named constructor per problem, so that each message is written
 * once and each code has its entry in docs/diagnostics.md.
 */

import { didYouMean } from '@woof/expr/nearest';
import { hintWith } from '../meant-word.ts';
import {
  arrows,
  cannotBe,
  error,
  hasNo,
  list,
  mustBe,
  oneOf,
  oneOfFields,
  subject,
  warning,
} from '../problem.ts';
import type { Span } from '../yaml/source.ts';

/** What other tools call the fields of a stage. */
const fieldHint = hintWith({
  needs: 'deps',
  depends_on: 'deps',
  dependencies: 'deps',
  run: 'commands',
  script: 'commands',
  steps: 'commands',
});

const shape = {
  unquotedTemplate: (at: Span) =>
    error(
      'workflow/unquoted-template',
      at,
      'YAML reads an unquoted {{ … }} as a map, not as text',
      'put it in quotes: "{{ … }}"',
    ),
  wrongType: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('workflow/wrong-type', at, mustBe(what, expected, got), hint),
  noApprovers: (at: Span) =>
    shape.wrongType(
      at,
      'approvers',
      'a list of names',
      'an empty list',
      'add a name, or remove `approvers` to let anybody answer',
    ),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error('workflow/not-one-of', at, cannotBe(what, got), didYouMean(got, allowed) ?? oneOf(allowed)),
  missing: (at: Span, what: string, field: string, hint = `add \`${field}: …\``) =>
    error('workflow/missing-field', at, hasNo(what, field), hint),
  unknownKey: (at: Span, what: string, key: string, known: readonly string[]) =>
    warning(
      'workflow/unknown-key',
      at,
      `${subject(what)} has no field "${key}"`,
      fieldHint(key, known) ?? oneOfFields(known),
    ),
  badNumber: (at: Span, what: string, expected: string, got: string) =>
    error('workflow/bad-number', at, mustBe(what, expected, got)),
  saidTwice: (at: Span, key: string) =>
    error(
      'workflow/said-twice',
      at,
      `\`${key}\` is set on the stage and again in its \`config\``,
      'remove one of the two',
    ),
  idleKey: (at: Span, key: string, needs: string) =>
    warning(
      'workflow/idle-key',
      at,
      `\`${key}\` has no effect without ${needs}`,
      `set ${needs}, or remove \`${key}\``,
    ),
  tooLarge: (at: Span, what: string, limit: number) =>
    error(
      'workflow/too-large',
      at,
      `the workflow has more than ${limit} ${what}`,
      'use smaller matrices, or split the workflow',
    ),
};

const graph = {
  noName: (at: Span) =>
    warning(
      'workflow/no-name',
      at,
      'the workflow has no `name`',
      'add `name: …`; `woof runs` lists runs by it',
    ),
  noStages: (at: Span) =>
    error('workflow/no-stages', at, 'the workflow has no stages', 'add a stage to `stages`'),
  badId: (at: Span, id: string) =>
    error(
      'workflow/bad-id',
      at,
      `"${id}" cannot be a \`stage_id\`, because Woof also uses it as the name of a directory`,
      'use letters, digits, `_`, `-` and `.`, start with a letter, a digit or `_`, do not end with `.`, and use at most 100 bytes',
    ),
  duplicateId: (at: Span, id: string, firstLine: number) =>
    error(
      'workflow/duplicate-id',
      at,
      `stage "${id}" is already defined on line ${firstLine}`,
      'rename one of the two',
    ),
  unknownStage: (at: Span, id: string, stages: Iterable<string>) =>
    error(
      'workflow/unknown-stage',
      at,
      `no stage "${id}"`,
      didYouMean(id, stages) ?? `the stages are ${list(stages)}`,
    ),
  duplicateEdge: (at: Span, from: string, to: string, firstLine: number) =>
    warning(
      'workflow/duplicate-edge',
      at,
      `line ${firstLine} already says that stage "${to}" waits for stage "${from}"`,
      'remove one of the two',
    ),
  cycle: (at: Span, path: readonly string[]) =>
    error(
      'workflow/cycle',
      at,
      `these stages wait for each other, so none of them can start: ${arrows(path)}`,
      'remove one of these edges',
    ),
};

const conditions = {
  badCondition: (at: Span, message: string, hint?: string) =>
    error('workflow/bad-condition', at, message, hint),
  unknownName: (at: Span, key: string, known: readonly string[]) =>
    warning('workflow/unknown-name', at, `\`workload\` has no "${key}"`, didYouMean(key, known)),
  unreadableName: (at: Span, name: string, why: string, hint?: string) =>
    error('workflow/unreadable-name', at, `\`if\` cannot read "${name}": ${why}`, hint),
};

const matrices = {
  emptyMatrix: (at: Span, why: string) =>
    error('workflow/empty-matrix', at, `the matrix produces no stage: ${why}`, 'add values'),
  unusedExclude: (at: Span) =>
    warning(
      'workflow/unused-exclude',
      at,
      'this item excludes nothing: no combination of the matrix has these values',
      'correct the values, or remove the item',
    ),
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
      'add `commands: [{program: …}]`, or write `kind: noop`',
    ),
  programWithBlanks: (at: Span, program: string) =>
    warning(
      'workflow/program-with-blanks',
      at,
      `Woof uses "${program}" as the name of one program, because there is no shell to split it`,
      'put what follows the name in `args`',
    ),
  escapingPath: (at: Span, what: string, path: string, base: string) =>
    error(
      'workflow/escaping-path',
      at,
      `${subject(what)} "${path}" leaves ${base}`,
      'use a relative path without ".."',
    ),
  badEnvName: (at: Span, name: string) =>
    error(
      'workflow/bad-env-name',
      at,
      `"${name}" cannot be the name of an environment variable`,
      'use letters, digits and `_`',
    ),
  policyBlocked: (at: Span, reason: string) =>
    warning(
      'workflow/policy-blocked',
      at,
      reason,
      'the stage will wait for approval: change the command, or run `woof approve RUN STAGE --override`',
    ),
  policyWarning: (at: Span, reason: string) => warning('workflow/policy-warning', at, reason),
  slurmOption: (at: Span, option: string) =>
    error(
      'workflow/slurm-option',
      at,
      `Woof itself passes ${option} to sbatch`,
      'remove it from `extra_args`',
    ),
};

export const problems = { ...shape, ...graph, ...conditions, ...matrices, ...blocks };
