/** Runs of a server elsewhere. */

import { type Client, followEvents, fromEnvelope, RemoteStore } from '@woof/client';
import { Problem } from '@woof/protocol';
import type { ExecutionRow, Frame } from '@woof/stores';
import type { Home } from '../home.ts';
import type { HomeFlags } from '../home-flags.ts';
import { connect } from './connect.ts';
import { reachServer } from './reach-server.ts';
import { storedTextAt } from './stored-text-at.ts';

/** The server answers as soon as there is something; a message between two servers may be lost. */
const WAIT_MS = 5000;
const LINES = 1000;

export function openRemoteHome(server: string, flags: HomeFlags): Home {
  const client = connect({ ...flags, server });
  const store = new RemoteStore(client);
  return {
    store,
    name: client.url,
    // A server that stops is followed by another, or by itself.
    isDriven: async () => true,
    frames: ({ execution_id: id }, follow) => (follow ? framesOf(client, id) : store.read(id)),
    logs: (row, follow) => logsOf(client, row, follow),
    text: (reference) => storedTextAt(client, reference),
    command: (verb, id, reason) => command(client, verb, id, reason),
    close: () => store.close(),
  };
}

async function* framesOf(client: Client, id: string): AsyncIterable<Frame> {
  for await (const envelope of followEvents(client, id, { reach: reachServer(client) }))
    yield { from: envelope.seq - 1, events: [fromEnvelope(envelope)] };
}

async function* logsOf(client: Client, row: ExecutionRow, follow: boolean): AsyncIterable<string> {
  const params = { id: row.execution_id };
  for (let from: string | undefined; ; ) {
    // Asked before reading: what has ended writes nothing more.
    const { ended_at } = follow ? await client.call('executions.row', { params }) : row;
    const isLast = !follow || ended_at !== undefined;
    const query = { from, limit: LINES, ...(isLast ? {} : { wait_ms: WAIT_MS }) };
    const { lines, next } = await client.call('executions.logs', { params, query });
    for (const line of lines) yield JSON.stringify(line);
    from = next;
    if (isLast && lines.length < LINES) return;
  }
}

async function command(client: Client, verb: 'pause' | 'cancel', id: string, reason: string | undefined) {
  const params = { id };
  try {
    if (verb === 'pause') return await client.call('executions.pause', { params });
    return await client.call('executions.cancel', { params, body: reason === undefined ? {} : { reason } });
  } catch (error) {
    if (error instanceof Problem && error.code === 'request/conflict')
      return { ok: false, message: error.message };
    throw error;
  }
}
