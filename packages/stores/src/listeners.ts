/** The listeners in this process. */
import type { JsonObject } from '@woof/net';
import { LARGEST_MESSAGE } from './store.ts';

type Hear = (message: JsonObject) => void;

export class Listeners {
  private readonly byMember = new Map<string, Set<Hear>>();

  add(memberId: string, hear: Hear): () => Promise<void> {
    const listeners = this.byMember.get(memberId) ?? new Set();
    this.byMember.set(memberId, listeners);
    // A new function, so that adding the same one twice makes two listeners.
    const listener: Hear = (message) => hear(message);
    listeners.add(listener);
    return async () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.byMember.get(memberId) === listeners) this.byMember.delete(memberId);
    };
  }

  /** The teller must not run the code of the listener. */
  tell(memberId: string, text: string): void {
    for (const hear of this.byMember.get(memberId) ?? []) {
      queueMicrotask(() => hear(JSON.parse(text) as JsonObject));
    }
  }
}

export function messageText(message: JsonObject): string {
  const text = JSON.stringify(message);
  const size = Buffer.byteLength(text);
  if (size <= LARGEST_MESSAGE) return text;
  throw new RangeError(
    `the message is ${size} bytes, and the limit is ${LARGEST_MESSAGE}. Send a reference to the value instead`,
  );
}
