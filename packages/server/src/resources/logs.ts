/**
 * The output of an execution's tasks: in pages from either end, or as a live stream.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import type { LogPage, LogQuery } from '@woof/stores';
import { untilRevoked } from '../access/until-revoked.ts';
import type { Call } from '../handler.ts';
import type { Parts } from '../parts.ts';
import { SseResponse } from '../sse-response.ts';
import { rowOf } from './execution-of.ts';

const LINES = 1000;

export async function logs(parts: Parts, call: Call<'executions.logs'>) {
  const { id } = call.params;
  const { wait_ms = 0, tail, limit = LINES, ...query } = call.query;
  const { ended_at } = await rowOf(parts, id);
  const asked: LogQuery = tail === undefined ? { ...query, limit } : { ...query, tail: true, limit: tail };
  if (call.raw.headers.accept?.includes('text/event-stream')) return stream(parts, call, asked);
  const isForward = asked.tail === undefined && asked.before === undefined;
  if (wait_ms === 0 || ended_at !== undefined || !isForward) return parts.logs.read(id, asked);
  return (await nextPage(parts, id, asked, AbortSignal.any([call.signal, AbortSignal.timeout(wait_ms)])))
    .page;
}

/** Waits until there are lines, the execution has ended (`isLast`), or the signal aborts. */
async function nextPage(
  parts: Parts,
  id: string,
  asked: LogQuery,
  signal: AbortSignal,
): Promise<{ page: LogPage; isLast: boolean }> {
  for (let query = asked; ; ) {
    const watch = parts.logs.watch(id, signal);
    try {
      // Read before the lines: once an execution has ended, no more lines are written.
      const { ended_at } = await rowOf(parts, id);
      const page = await parts.logs.read(id, query);
      const isLast = ended_at !== undefined;
      if (page.lines.length > 0 || isLast || signal.aborted) return { page, isLast };
      // Lines that did not match are not searched again.
      query = { ...query, from: page.next };
      await watch.changed;
    } finally {
      watch.end();
    }
  }
}

/** Starts where the listener left off, or else with the requested page, and ends with the execution. */
async function stream(
  parts: Parts,
  { params: { id }, headers, reply, signal, who }: Call<'executions.logs'>,
  asked: LogQuery,
) {
  const { step, stream: of, q } = asked;
  const seen = headers['last-event-id'];
  const first: LogQuery = seen === undefined ? asked : { step, stream: of, q, from: seen, limit: LINES };
  const allowed = untilRevoked(parts.tokens, who.id, signal);
  const response = SseResponse.begin(reply, parts.listenerMs);
  try {
    await response.open();
    const begin = first.tail || first.before ? await parts.logs.read(id, first) : undefined;
    if (begin) await response.write(textOf(begin));
    for (let from = begin?.next ?? first.from; ; ) {
      const query = { step, stream: of, q, from, limit: LINES };
      const { page, isLast } = await nextPage(parts, id, query, allowed.signal);
      if (allowed.signal.aborted) return undefined;
      await response.write(textOf(page));
      from = page.next;
      if (!isLast || page.lines.length > 0) continue;
      await response.write('event: end\ndata: {}\n\n');
      return undefined;
    }
  } finally {
    allowed.end();
    response.end();
  }
}

function textOf({ lines, next }: LogPage): string {
  return lines.length === 0 ? '' : `event: lines\nid: ${next}\ndata: ${JSON.stringify({ lines })}\n\n`;
}
