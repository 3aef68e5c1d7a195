/**
 * The page of an execution: one HTML file that replays it up to its present state.
 *
 * Calls: packages/protocol/src/http/executions.ts.
 */
import { sourceOf } from '@woof/engine';
import type { Reference } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { LogLine } from '@woof/stores';
import type { Call } from '../handler.ts';
import type { Parts } from '../parts.ts';
import { rowOf } from './execution-of.ts';
import { documentText } from './source.ts';

const LINES = 1000;
const MOST_CHILDREN = 1000;
/** The page is code that somebody else wrote: it gets no origin and cannot call this server. */
const POLICY =
  "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

export async function report(
  parts: Parts,
  { params: { id }, reply }: Call<'executions.report'>,
): Promise<undefined> {
  const row = await rowOf(parts, id);
  const plan = await parts.store.plan(row.plan_hash);
  if (parts.report === undefined || plan === undefined)
    throw new Problem('not-found', 'this server makes no reports; use woof build RUN');
  const { document } = await sourceOf(parts.store, id);
  const built = await parts.report({
    row,
    plan,
    frames: parts.store.read(id),
    logs: allLogs(parts, id),
    document: async () => (document === undefined ? undefined : documentText(parts.blobs, document)),
    text: (reference) => textOf(parts, reference),
    children: await parts.store.executions({ parent: id, limit: MOST_CHILDREN }),
  });
  if ('refused' in built)
    throw new Problem('request/conflict', `there is no report of ${id}: ${built.refused}`);
  reply
    .type('text/html; charset=utf-8')
    .header('content-disposition', `attachment; filename="${id.replace(/[^\w.-]/g, '_')}.html"`)
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store');
  await reply.send(built.html);
  return undefined;
}

async function* allLogs({ logs }: Parts, id: string): AsyncIterable<LogLine> {
  for (let from: string | undefined; ; ) {
    const page = await logs.read(id, { from, limit: LINES });
    if (page.lines.length === 0) return;
    yield* page.lines;
    from = page.next;
  }
}

async function textOf({ blobs, engine }: Parts, reference: Reference): Promise<string> {
  engine.checkLoadable(reference);
  await blobs.bring(reference);
  return blobs.getText(reference);
}
