/**
 * The outcome of a task and the choice of its policy, as the log stores them: large values by reference, long messages
 * truncated.
 */
import {
  type Directive,
  encodeJson,
  failure,
  grownLists,
  isObject,
  isReference,
  type JobPort,
  type JsonObject,
  type ListAccess,
  type OffloadAll,
  type Outcome,
  offloadMaps,
  plainNumber,
  type Reference,
  storedError,
  type Task,
} from '@woof/net';

type Offload = Pick<JobPort, 'offload'>;

const LONGEST_MESSAGE = 8 * 1024;

/**
 * `fault` replaces the outcome if its result cannot be stored. `keptAt` says where the document had the result stored.
 */
export function outcomeInLog(
  task: Task,
  given: Outcome,
  keptAt: Reference | undefined,
  port: Offload,
): { reported: Outcome; fault?: Outcome } {
  const outcome = shortened(given);
  const carried = outcome.outputs === undefined ? {} : { outputs: port.offload(outcome.outputs) };
  if (outcome.result === undefined || outcome.result === null)
    return { reported: { ...outcome, ...carried } };
  const limit = (task.spec.result as JsonObject | undefined)?.inline_max_bytes;
  try {
    const offloaded = port.offload(outcome.result, plainNumber(limit));
    const result = keptAt && isReference(offloaded) ? keptAt : offloaded;
    const isSame = result === outcome.result && !outcome.outputs;
    return { reported: isSame ? outcome : { ...outcome, result, ...carried } };
  } catch (error) {
    const message = `the result of task "${task.label}" cannot be stored: ${(error as Error).message}`;
    const fault: Outcome = {
      ...failure('storage', message, { ...storedError(error), message }),
      ...(outcome.meta ? { meta: outcome.meta } : {}),
    };
    return { reported: fault, fault };
  }
}

/** Every event up to the end of the run repeats the error, so a message must not contain a whole document. */
function shortened(outcome: Outcome): Outcome {
  const { error } = outcome;
  if (error === undefined || encodeJson(error).length <= LONGEST_MESSAGE) return outcome;
  const cut = (text: string) =>
    text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)} … (truncated)` : text;
  const details =
    error.details && encodeJson(error.details).length > LONGEST_MESSAGE
      ? cutDetails(error.details, cut)
      : error.details;
  return { ...outcome, error: { ...error, message: cut(error.message), ...(details ? { details } : {}) } };
}

function cutDetails(details: JsonObject, cut: (text: string) => string): JsonObject {
  const entries = Object.entries(details).map(
    ([key, value]) => [key, typeof value === 'string' ? cut(value) : value] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => encodeJson(value).length <= 2 * LONGEST_MESSAGE));
}

const PATCHES = ['set_iter', 'set_vars', 'set_ctx'] as const;

/** What the patches of a directive change. */
type Before = Record<(typeof PATCHES)[number], JsonObject>;

/** The directive with each list that only makes a stored list longer as that list with more items. */
export function withGrownLists(directive: Directive, before: Before, port: ListAccess): Directive {
  const grown: Directive = { ...directive };
  for (const key of PATCHES) {
    const patch = directive[key];
    if (patch) grown[key] = grownLists(patch, before[key], port);
  }
  return grown;
}

/** What the job itself continues with: stored lists stay stored, so that what follows makes them longer. */
export function directiveAtHand(chosen: Directive, inLog: Directive): Directive {
  const atHand: Directive = { ...chosen };
  for (const key of PATCHES) {
    const patch = chosen[key];
    if (patch) atHand[key] = { ...patch, ...storedLists(patch, inLog[key]!) };
  }
  return atHand;
}

function storedLists(patch: JsonObject, inLog: JsonObject): JsonObject {
  const lists = Object.entries(inLog).filter(
    ([key, value]) => isReference(value) && Array.isArray(patch[key]),
  );
  return Object.fromEntries(lists);
}

export function directiveInLog(directive: Directive, port: OffloadAll): Directive {
  if (directive.do === 'continue' && directive.rule === undefined) return directive;
  const { set_iter, set_vars, set_ctx, set_shared, set_prev } = directive;
  const patches = Object.entries({ set_iter, set_vars, set_ctx }).filter(([, patch]) => patch !== undefined);
  const changes = Object.entries(set_shared ?? {}).filter(([, change]) => isObject(change));
  const prev = set_prev === undefined ? {} : { set_prev };
  const maps = [
    prev,
    ...patches.map(([, patch]) => patch!),
    ...changes.map(([, change]) => change as JsonObject),
  ];
  const [storedPrev, ...stored] = offloadMaps(maps, port);
  const small: Directive = { ...directive, ...storedPrev };
  for (const [key] of patches) Object.assign(small, { [key]: stored.shift() });
  if (set_shared) small.set_shared = { ...set_shared };
  for (const [key] of changes) small.set_shared![key] = stored.shift()!;
  return small;
}
