/** The events of an execution as they come. A connection that breaks is made again after the last event that came. */
import type { Envelope } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { Client } from './client.ts';

const AGAIN_MS = 300;
const LONGEST_MS = 5000;

export async function* followEvents(
  client: Client,
  executionId: string,
  from = 0,
  signal?: AbortSignal,
): AsyncIterable<Envelope> {
  let seen = from;
  for (let delay = AGAIN_MS; !signal?.aborted; delay = Math.min(delay * 2, LONGEST_MS)) {
    try {
      for await (const message of messages(client, executionId, seen, signal)) {
        if (message.event === 'end') return;
        if (message.data === '') continue;
        const envelope = JSON.parse(message.data) as Envelope;
        seen = envelope.seq;
        delay = AGAIN_MS;
        yield envelope;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof Problem && error.status < 500 && error.status !== 429) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}

interface Message {
  event: string;
  data: string;
}

async function* messages(client: Client, id: string, seen: number, signal: AbortSignal | undefined) {
  const headers = { accept: 'text/event-stream', 'last-event-id': String(seen) };
  const response = await client.send('executions.events', { params: { id }, signal }, { headers });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield messageOf(part);
  }
}

function messageOf(text: string): Message {
  const message: Message = { event: 'message', data: '' };
  for (const line of text.split('\n')) {
    if (line.startsWith('event: ')) message.event = line.slice(7);
    if (line.startsWith('data: ')) message.data += line.slice(6);
  }
  return message;
}
