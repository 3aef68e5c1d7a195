/** What can be wrong with the schedules that a document declares, of whichever kind it is. */
import { didYouMean } from '@woof/expr/nearest';
import { error, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';

/** Words of other places for what is said otherwise here, or not here at all. */
const ELSEWHERE: Record<string, string> = {
  tz: 'write `timezone`',
  zone: 'write `timezone`',
  when: 'write `cron`',
  schedule_id: 'write `name`; its id is the path of the document with that name',
  path: 'leave it out: it starts this document',
  workload: 'write `payload`',
  paused: 'leave it out; `woof schedule pause` pauses it at the server',
  allow: 'leave it out: what the document may do is said by its io_policy',
};

export const scheduleProblems = {
  shape: (at: Span, what: string, expected: string, got: string, hint?: string) =>
    error('schedule/wrong-type', at, `${what} must be ${expected}, got ${got}`, hint),
  misplaced: (at: Span, key: string, place: string) =>
    warning('schedule/misplaced', at, `nothing reads \`${key}\` here`, `schedules stand in ${place}`),
  noPath: (at: Span) =>
    warning(
      'schedule/no-path',
      at,
      'the document has no metadata.path, under which a server would keep it and its schedules',
      'add one, such as metadata: {path: sales/orders}',
    ),
  noCron: (at: Span) =>
    error('schedule/missing-cron', at, 'the schedule has no `cron`', 'for example cron: "0 6 * * 1-5"'),
  badCron: (at: Span, message: string, example: string) =>
    error('schedule/bad-cron', at, message, `for example "${example}"`),
  unknownZone: (at: Span, name: string, hint: string) =>
    error('schedule/unknown-zone', at, `there is no time zone "${name}"`, hint),
  notOneOf: (at: Span, what: string, got: string, allowed: readonly string[]) =>
    error(
      'schedule/not-one-of',
      at,
      `${what} cannot be "${got}"`,
      didYouMean(got, allowed) ?? `use one of ${allowed.join(', ')}`,
    ),
  unknownKey: (at: Span, key: string, known: readonly string[]) =>
    error(
      'schedule/unknown-key',
      at,
      `a schedule has no field "${key}"`,
      (Object.hasOwn(ELSEWHERE, key) ? ELSEWHERE[key] : didYouMean(key, known)) ??
        `its fields are ${known.join(', ')}`,
    ),
  badName: (at: Span, got: string) =>
    error(
      'schedule/bad-name',
      at,
      `"${got}" cannot name a schedule`,
      'use letters, digits, _ and -, up to 50',
    ),
  duplicateName: (at: Span, name: string | undefined, firstLine: number) =>
    error(
      'schedule/duplicate-name',
      at,
      name === undefined
        ? `the schedule on line ${firstLine} has no name either`
        : `a schedule "${name}" is already on line ${firstLine}`,
      'give each a `name` of its own',
    ),
  tooMany: (at: Span, most: number) =>
    error('schedule/too-many', at, `a document may declare ${most} schedules`, 'split the document'),
  largePayload: (at: Span, most: number) =>
    error(
      'schedule/large-payload',
      at,
      `the payload of a schedule may have ${most} bytes as JSON`,
      'let the document fetch larger values',
    ),
  payloadKey: (at: Span, key: string, declared: string, known: readonly string[]) =>
    warning('schedule/payload-key', at, `${declared} no "${key}"`, didYouMean(key, known)),
  payloadType: (at: Span, key: string, expected: string, got: string) =>
    warning('schedule/payload-type', at, `"${key}" is ${expected} in the document, and ${got} here`),
  payloadTemplate: (at: Span) =>
    warning(
      'schedule/payload-template',
      at,
      'a payload is plain data: this template is never evaluated',
      'render it where it is used, in `args` or a tool field',
    ),
};
