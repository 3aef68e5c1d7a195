/**
 * The outcome of a task and the choice of its policy, as the log stores them: large values by reference, long messages
 * truncated.
 */
import {
  type Directive,
  encodeJson,
  failure,
  isObject,
  isReference,
  type JobPort,
  type JsonObject,
  type Outcome,
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

export function directiveInLog(directive: Directive, port: Offload): Directive {
  if (directive.do === 'continue' && directive.rule === undefined) return directive;
  const small: Directive = { ...directive };
  for (const key of ['set_iter', 'set_vars', 'set_ctx'] as const) {
    const patch = directive[key];
    if (patch !== undefined) small[key] = eachOffloaded(patch, port);
  }
  if (directive.set_prev !== undefined) small.set_prev = port.offload(directive.set_prev);
  if (directive.set_shared) {
    const changes = Object.entries(directive.set_shared);
    small.set_shared = Object.fromEntries(
      changes.map(([key, change]) => [key, isObject(change) ? eachOffloaded(change, port) : change]),
    );
  }
  return small;
}

function eachOffloaded(values: JsonObject, port: Offload): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, port.offload(value)]));
}
