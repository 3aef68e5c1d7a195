/** What can be wrong with the schedules that a document of any kind declares. */
import { didYouMean } from '@woof/expr/nearest';
import { cannotBe, error, list, mustBe, oneOf, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';

/** Words from elsewhere for things that have another name here, or do not exist. */
const ELSEWHERE: Record<string, string> = {
  tz: 'write `timezone`',
  zone: 'write `timezone`',
  when: 'write `cron`',
  schedule_id: 'write `name`; the id is the path of the document with that name',
  path: 'remove it: a schedule starts the document that declares it',
  workload: 'write `payload`',
  paused: 'remove it, and pause the schedule on the server with `woof schedule pause`',
  allow: 'remove it: the `io_policy` of the document says what the document may do',
};

export const scheduleProblems = {
  shape: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('schedule/wrong-type', at, mustBe(what, expected, got), hint),
  misplaced: (at: Span, key: string, place: string) =>
    warning('schedule/misplaced', at, `Woof does not read \`${key}\` here`, `move it to \`${place}\``),
  noPath: (at: Span) =>
    warning(
      'schedule/no-path',
      at,
      'the document declares schedules but has no `metadata.path`, under which a server keeps it',
      'add one, for example `metadata: {path: sales/orders}`',
    ),
  noCron: (at: Span) =>
    error(
      'schedule/missing-cron',
      at,
      'the schedule has no `cron`',
      'add one, for example cron: "0 6 * * 1-5"',
    ),
  badCron: (at: Span, message: string, example: string) =>
    error('schedule/bad-cron', at, message, `for example "${example}"`),
  unknownZone: (at: Span, name: string, hint: string) =>
    error('schedule/unknown-zone', at, `no time zone "${name}"`, hint),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error('schedule/not-one-of', at, cannotBe(what, got), didYouMean(got, allowed) ?? oneOf(allowed)),
  unknownKey: (at: Span, key: string, known: readonly string[]) =>
    error(
      'schedule/unknown-key',
      at,
      `a schedule has no field "${key}"`,
      (Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : didYouMean(key, known)) ??
        `its fields are ${list(known)}`,
    ),
  badName: (at: Span, got: string) =>
    error(
      'schedule/bad-name',
      at,
      `"${got}" cannot be the name of a schedule`,
      'use letters, digits, `_` and `-`, at most 50 in all',
    ),
  duplicateName: (at: Span, name: string | undefined, firstLine: number) =>
    error(
      'schedule/duplicate-name',
      at,
      name === undefined
        ? `this schedule has no name, and neither has the one on line ${firstLine}`
        : `a schedule "${name}" is already defined on line ${firstLine}`,
      'give each schedule its own `name`',
    ),
  tooMany: (at: Span, most: number) =>
    error('schedule/too-many', at, `a document can declare at most ${most} schedules`, 'split the document'),
  largePayload: (at: Span, most: number) =>
    error(
      'schedule/large-payload',
      at,
      `the payload of a schedule must have at most ${most} bytes as JSON`,
      'let the document fetch larger values',
    ),
  payloadKey: (at: Span, key: string, declared: string, known: readonly string[]) =>
    warning(
      'schedule/payload-key',
      at,
      `${declared} no "${key}"`,
      didYouMean(key, known) ?? 'declare it there, or remove it from the payload',
    ),
  payloadType: (at: Span, key: string, expected: string, got: string) =>
    warning(
      'schedule/payload-type',
      at,
      `"${key}" is ${expected} in the document, but ${got} here`,
      'correct one of the two',
    ),
  payloadTemplate: (at: Span) =>
    warning(
      'schedule/payload-template',
      at,
      'a payload is plain data: Woof never evaluates this template',
      'move the template to where the value is used: `args` or a field of a task',
    ),
};
