/** Spans in the JSON form of OTLP over HTTP. */
import type { Attributes, Span } from './span-fold.ts';

const INTERNAL = 1;
const OK = 1;
const ERROR = 2;

export function toOtlp(spans: readonly Span[], service: string, version: string): object {
  const resource = { attributes: attributesOf({ 'service.name': service, 'service.version': version }) };
  const scope = { name: 'woof', version };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }] };
}

function spanOf(span: Span): object {
  const { traceId, spanId, parentSpanId, name, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanos(span.start),
    endTimeUnixNano: nanos(span.end),
    attributes: attributesOf(span.attributes),
    events: span.events.map(({ name: what, at, attributes }) => ({
      timeUnixNano: nanos(at),
      name: what,
      attributes: attributesOf(attributes),
    })),
    status: error === undefined ? { code: OK } : { code: ERROR, message: error },
  };
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }));
}

/** As text, because a double cannot represent it exactly. */
const nanos = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`;
