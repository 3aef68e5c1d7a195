/**
 * Where the spans of an execution belong. Ids derive from the ids of executions, step runs, iterations and task runs,
 * so that every server produces the same spans for the same log.
 */
import { createHash } from 'node:crypto';

export interface TraceContext {
  traceId: string;
  /** The span that it is part of. */
  parentSpanId?: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

export const spanIdOf = (executionId: string, id = ''): string => digest(`span\n${executionId}\n${id}`, 16);

/** W3C `traceparent`; undefined if it is not valid. */
export function parseTraceparent(text: string): (Required<TraceContext> & { sampled: boolean }) | undefined {
  const [, traceId = '', parentSpanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(parentSpanId) || text.startsWith('ff')) return undefined;
  return { traceId, parentSpanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Undefined: whoever started it does not want spans. */
export function contextOf(root: string, traceparent: string | undefined): TraceContext | undefined {
  const given = traceparent === undefined ? undefined : parseTraceparent(traceparent);
  if (given === undefined) return { traceId: digest(`trace\n${root}`, 32) };
  const { sampled, ...context } = given;
  return sampled ? context : undefined;
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
