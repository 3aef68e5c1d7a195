/**
 * The events of an execution as they arrive. If a connection breaks or falls silent, it is reopened after the last
 * event received.
 */
import { decodeJson, type Envelope } from '@woof/net';
import { type Client, Unreachable } from './client.ts';
import { Reach } from './reach.ts';

export interface FollowOptions {
  /** The last event that was received. */
  from?: number;
  signal?: AbortSignal | undefined;
  /** For callers that want to know when the server is away, or to give up. */
  reach?: Reach;
}

export async function* followEvents(
  client: Client,
  executionId: string,
  { from = 0, signal, reach = new Reach(client.url, { signal }) }: FollowOptions = {},
): AsyncIterable<Envelope> {
  let seen = from;
  const stream = { client, executionId, signal, reach };
  while (!signal?.aborted) {
    try {
      for await (const message of messages(stream, seen)) {
        if (message.event === 'end') return;
        if (message.data === '') continue;
        const envelope = decodeJson(message.data) as Envelope;
        seen = envelope.seq;
        reach.advanced();
        yield envelope;
      }
      if (signal?.aborted) return;
      // The stream broke, or the server is shutting down. The next attempt shows whether it is away.
      await reach.pause();
    } catch (error) {
      if (signal?.aborted) return;
      await reach.again(error);
    }
  }
}

interface Stream {
  client: Client;
  executionId: string;
  signal: AbortSignal | undefined;
  reach: Reach;
}

interface Message {
  event: string;
  data: string;
}

async function* messages(stream: Stream, seen: number): AsyncIterable<Message> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks(stream, seen)) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield messageOf(part);
  }
}

/**
 * What the server sends until it breaks off. Throws if the reply is not a success, and when the server falls silent.
 */
async function* chunks({ client, executionId, signal, reach }: Stream, seen: number) {
  const silence = new AbortController();
  const headers = { accept: 'text/event-stream', 'last-event-id': String(seen) };
  const ends = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const asked = { params: { id: executionId }, signal: ends };
  const { body } = await heard(client.send('executions.events', asked, { headers }), reach, silence);
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await heard(pieces.next().catch(broken), reach, silence);
      if (done) return;
      yield value;
    }
  } finally {
    await pieces.return?.().catch(() => {});
  }
}

const broken = () => ({ done: true, value: undefined }) as const;

/** Only time spent waiting here counts as silence: the reader of the events may take as long as it likes. */
async function heard<T>(answer: Promise<T>, reach: Reach, silence: AbortController): Promise<T> {
  const timer = setTimeout(() => silence.abort(), reach.silentMs);
  try {
    const value = await answer;
    if (!silence.signal.aborted) {
      reach.heard();
      return value;
    }
  } catch (error) {
    if (!silence.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  throw new Unreachable(reach.silence());
}

function messageOf(text: string): Message {
  const message: Message = { event: 'message', data: '' };
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) message.event = line.slice(7);
    if (line.startsWith('data: ')) message.data += line.slice(6);
  }
  return message;
}
