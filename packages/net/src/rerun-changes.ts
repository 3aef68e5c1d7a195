/**
 * Which steps may have a different result because the workload or the document changed.
 *
 * A step is assumed to read every workload key whose name occurs as a word anywhere in its fields: in templates, in
 * code, in guards. If it may read keys that it does not name, it is assumed to read all of them. So a step may run
 * again unnecessarily, but no step is reused that should not be.
 */
import { encodeJson, type Json, type JsonObject } from './json.ts';
import type { Plan, Step } from './plan.ts';
import type { State } from './state.ts';
import { isNamedCall } from './task-kinds.ts';

type Changes = Map<string, string>;

export function changedSteps(before: State, now: { plan: Plan; workload: JsonObject }): Changes {
  const changes: Changes = new Map();
  const whole = wholeChange(before, now);
  const keys = changedKeys(before.workload, now.workload);
  const known = new Map(before.plan.steps.map((step) => [step.name, step]));
  for (const step of now.plan.steps) {
    const reason = whole ?? definitionChange(known.get(step.name), step) ?? readingOf(step, now.plan, keys);
    if (reason !== undefined) changes.set(step.name, reason);
  }
  return changes;
}

/** What affects every step. */
function wholeChange(
  before: State,
  { plan, workload }: { plan: Plan; workload: JsonObject },
): string | undefined {
  const keys = changedKeys(before.workload, workload);
  if (keys.length > 0 && plan.kind === 'notebook') return `${named(keys)} changed, and any cell may read it`;
  const inKeychain = keys.filter((key) => mentions(textsOf(plan.keychain), key));
  if (inKeychain.length > 0) return `the keychain may read ${named(inKeychain)}, which changed`;
  if (plan === before.plan) return undefined;
  if (!same(plan.keychain, before.plan.keychain)) return 'the keychain of the document changed';
  if (!same(plan.entry, before.plan.entry)) return 'the document begins with other steps';
  return same(plan.blocks, before.plan.blocks) ? undefined : 'the workbook of the document changed';
}

function definitionChange(before: Step | undefined, now: Step): string | undefined {
  if (before === undefined) return 'it is new';
  return before === now || same(withoutPlaces(before), withoutPlaces(now))
    ? undefined
    : 'its definition changed';
}

/** Lines move when others change. */
function withoutPlaces(step: Step): JsonObject {
  const tasks = step.tasks.map(({ at: _, ...task }) => task);
  const arcs = step.next.arcs.map(({ at: _, ...arc }) => arc);
  const { at: _, ...rest } = step;
  return { ...rest, tasks, next: { ...step.next, arcs } } as unknown as JsonObject;
}

/** Words that let code and templates reach values that they do not name. */
const ANYTHING = /\b(context|globals|locals|eval|exec)\b|\bworkload\b(?!\.\w|\[\s*["']\w)/;

function readingOf(step: Step, plan: Plan, keys: readonly string[]): string | undefined {
  if (keys.length === 0) return undefined;
  const text = textsOf(readsOf(step, plan));
  const read = keys.filter((key) => mentions(text, key));
  if (read.length > 0) return `it may read ${named(read)}, which changed`;
  const isOpen = ANYTHING.test(text) || step.tasks.some(({ input }) => input.script !== undefined);
  return isOpen ? `it may read any value, and ${named(keys)} changed` : undefined;
}

/** The parts of a step that hold templates and code. */
function readsOf({ tasks, admit, args, setCtx, loop, next }: Step, { blocks }: Plan): unknown {
  const called = tasks.some(isNamedCall) ? Object.values(blocks) : [];
  const own = [...tasks, ...called].map(({ input, spec, rules }) => [input, spec, rules]);
  return [own, admit, args, setCtx, loop, next.arcs];
}

/** All strings in a value, one per line. */
function textsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(textsOf).join('\n') : '';
}

const named = (keys: readonly string[]): string => keys.map((key) => `workload.${key}`).join(', ');

function mentions(text: string, key: string): boolean {
  const word = key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return /^\w+$/.test(key)
    ? new RegExp(`\\b${word}\\b`).test(text)
    : text.includes(key) || ANYTHING.test(text);
}

function changedKeys(before: JsonObject, now: JsonObject): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].filter((key) => !same(before[key], now[key]));
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && encodeJson(a as Json) === encodeJson(b as Json));
}
