/** Events as server-sent events; `id` is the seq. */
import { encodeJson, toEnvelope } from '@woof/net';
import type { Frame } from '@woof/stores';

export interface EventText {
  /** The number of events before these, and the number after them. */
  from: number;
  to: number;
  text: string;
  /** Nothing follows. */
  last: boolean;
}

/** The part of a frame that follows the first `seen` events of its execution. */
export function eventText(executionId: string, { from, events }: Frame, seen: number): EventText | undefined {
  const to = from + events.length;
  if (to <= seen) return undefined;
  const fresh = events.slice(Math.max(0, seen - from));
  const first = to - fresh.length;
  const texts = fresh.map((event, index) => {
    const seq = first + index + 1;
    return `id: ${seq}\ndata: ${encodeJson(toEnvelope(event, executionId, seq))}\n\n`;
  });
  const last = fresh.some(({ name }) => name === 'playbook.processed');
  return { from: first, to, text: texts.join(''), last };
}
