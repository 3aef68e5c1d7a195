/** Two runs side by side, differences first. */
import {
  accountOf,
  encodeJson,
  isObject,
  isReference,
  type Json,
  type JsonObject,
  type Plan,
  type Reference,
  type State,
  type Step,
} from '@woof/net';
import { type DiffLine, lineDiff } from './line-diff.ts';

export interface Compared {
  workload: ValueDiff;
  result: ValueDiff;
  /** Those that differ come first. */
  steps: StepPair[];
}

export interface StepPair {
  step: string;
  /** How the plan of the step changed. */
  plan: 'same' | 'changed' | 'added' | 'removed';
  definition: ValueDiff;
  a: StepFacts | undefined;
  b: StepFacts | undefined;
  result: ValueDiff;
  isDifferent: boolean;
}

export interface StepFacts {
  status: string;
  runs: number;
  ms?: number;
  error?: string;
}

/** `lines` is absent if the values are too large to be compared line by line. */
export type ValueDiff = { isEqual: true } | { isEqual: false; lines?: DiffLine[] };

export function compareRuns(a: State, b: State): Compared {
  const facts = [factsOf(a), factsOf(b)] as const;
  const steps = stepNames(a.plan, b.plan).map((step) => pairOf(step, [a, b], facts));
  return {
    workload: compareValues(a.workload, b.workload),
    result: compareValues(a.result, b.result),
    steps: [...steps.filter(({ isDifferent }) => isDifferent), ...steps.filter((one) => !one.isDifferent)],
  };
}

function stepNames(a: Plan, b: Plan): string[] {
  return [...new Set([...a.steps, ...b.steps].map(({ name }) => name))];
}

type Facts = ReadonlyMap<string, StepFacts & { result?: Json }>;

function pairOf(
  step: string,
  [a, b]: readonly [State, State],
  [inA, inB]: readonly [Facts, Facts],
): StepPair {
  const [planA, planB] = [definitionOf(a.plan, step), definitionOf(b.plan, step)];
  const definition = compareValues(planA, planB);
  const plan = planOf(planA, planB, definition);
  const { result: resultA, ...factsA } = inA.get(step) ?? { status: '', runs: 0 };
  const { result: resultB, ...factsB } = inB.get(step) ?? { status: '', runs: 0 };
  const result = compareValues(resultA, resultB);
  const isOtherwise = factsA.status !== factsB.status || factsA.error !== factsB.error;
  return {
    step,
    plan,
    definition,
    a: planA === undefined ? undefined : factsA,
    b: planB === undefined ? undefined : factsB,
    result,
    isDifferent: plan !== 'same' || isOtherwise || !result.isEqual,
  };
}

function planOf(a: Json | undefined, b: Json | undefined, definition: ValueDiff): StepPair['plan'] {
  if (a === undefined) return 'added';
  if (b === undefined) return 'removed';
  return definition.isEqual ? 'same' : 'changed';
}

function factsOf(state: State): Facts {
  return new Map(
    Object.entries(accountOf(state).steps).map(([step, { status, runs, result, error }]) => {
      const { started_at, ended_at } = state.steps.get(step) ?? {};
      const facts: StepFacts & { result?: Json } = { status, runs };
      if (started_at !== undefined && ended_at !== undefined) facts.ms = ended_at - started_at;
      if (isObject(error)) facts.error = String(error.message ?? '');
      if (result !== undefined) facts.result = result;
      return [step, facts];
    }),
  );
}

/** What a step does, regardless of its place in the document. */
function definitionOf({ steps }: Plan, name: string): Json | undefined {
  const found = steps.find((step) => step.name === name);
  if (found === undefined) return undefined;
  const { at: _, tasks, next, ...rest } = found satisfies Step;
  const placeless = ({ at: __, ...more }: { at: unknown }) => more;
  return {
    ...rest,
    tasks: tasks.map(placeless),
    next: { ...next, arcs: next.arcs.map(placeless) },
  } as unknown as Json;
}

const LONGEST = 200_000;

export function compareValues(a: Json | undefined, b: Json | undefined): ValueDiff {
  if (isReference(a) && isReference(b) && isSameStored(a, b)) return { isEqual: true };
  const [before, after] = [textOf(a), textOf(b)];
  if (before === after) return { isEqual: true };
  const isLong = before.length > LONGEST || after.length > LONGEST;
  // A value that one of them does not have has no lines, not even an empty one.
  const absent = a === undefined ? 'removed' : b === undefined ? 'added' : undefined;
  const lines = isLong ? undefined : lineDiff(before, after)?.filter(({ kind }) => kind !== absent);
  return lines === undefined ? { isEqual: false } : { isEqual: false, lines };
}

/** A list that is stored in parts has the checksum of the first one. */
const isSameStored = (a: Reference, b: Reference): boolean =>
  a.checksum === b.checksum && encodeJson((a.more ?? null) as Json) === encodeJson((b.more ?? null) as Json);

function textOf(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : (encodeJson(sorted(value), 2) ?? '');
}

/** The order of keys does not count as a difference. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted((value as JsonObject)[key]!)])) as Json;
}
