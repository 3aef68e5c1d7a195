/** Runs of a server elsewhere. */

import { type Client, followEvents, RemoteStore } from '@woof/client';
import { fromEnvelope } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { ExecutionRow, Frame } from '@woof/stores';
import type { Home } from '../home.ts';
import type { HomeFlags } from '../home-flags.ts';
import { type LogSource, logLines } from '../log-lines.ts';
import { connect } from './connect.ts';
import { reachServer } from './reach-server.ts';
import { storedTextAt } from './stored-text-at.ts';

/** The server answers as soon as there is something; a message between two servers may be lost. */
const WAIT_MS = 5000;

export function openRemoteHome(server: string, flags: HomeFlags): Home {
  const client = connect({ ...flags, server });
  const store = new RemoteStore(client);
  return {
    store,
    name: client.url,
    // When a server stops, another one takes over, or it restarts.
    isDriven: async () => true,
    whyQueued: (id) => whyQueued(client, id),
    frames: ({ execution_id: id }, follow) => (follow ? framesOf(client, id) : store.read(id)),
    logs: (row, view = {}) => logLines(remoteLogs(client, row), view),
    text: (reference) => storedTextAt(client, reference),
    command: (verb, id, reason) => command(client, verb, id, reason),
    close: () => store.close(),
  };
}

async function whyQueued(client: Client, id: string): Promise<string[]> {
  const { waiting } = await client.call('queue.get');
  const own = waiting.filter(({ execution_id }) => execution_id === id);
  return [...new Set(own.map(({ reason }) => reason))];
}

async function* framesOf(client: Client, id: string): AsyncIterable<Frame> {
  for await (const envelope of followEvents(client, id, { reach: reachServer(client) }))
    yield { from: envelope.seq - 1, events: [fromEnvelope(envelope)] };
}

function remoteLogs(client: Client, row: ExecutionRow): LogSource {
  const params = { id: row.execution_id };
  return {
    hasEnded: async () => (await client.call('executions.row', { params })).ended_at !== undefined,
    read: ({ tail, limit, ...rest }, isLast) => {
      const page = tail ? { tail: limit } : { limit, ...(isLast ? {} : { wait_ms: WAIT_MS }) };
      return client.call('executions.logs', { params, query: { ...rest, ...page } });
    },
  };
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
