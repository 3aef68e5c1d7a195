/**
 * Restores the order in which output on three descriptors was made.
 *
 * Owns: the marks. A driver writes mark k to stdout, stderr and the channel whenever order matters. Nothing after a
 * mark passes until all three have reached it. Does not own: what the items mean.
 *
 * Invariants: marks count 1, 2, 3… within a request, and any other number is a fault. What waits is bounded: a source
 * that is too far ahead is paused.
 */

import { MarkSplitter } from './mark-splitter.ts';
import type { Message } from './message.ts';

export type Stream = 'stdout' | 'stderr';
type Source = Stream | 'channel';
type Item = { mark: number } | { bytes: Buffer } | { message: Message };

const MAX_WAITING_BYTES = 1024 * 1024;

export interface OrderListener {
  bytes(stream: Stream, bytes: Buffer): void;
  message(message: Message): void;
  fault(what: string): void;
  pause(stream: Stream, paused: boolean): void;
}

export class OutputOrder {
  readonly #listener: OrderListener;
  readonly #waiting: Record<Source, Item[]> = { stdout: [], stderr: [], channel: [] };
  readonly #bytes: Record<Stream, number> = { stdout: 0, stderr: 0 };
  readonly #splitters = { stdout: new MarkSplitter(), stderr: new MarkSplitter() };
  #passed = 0;

  constructor(listener: OrderListener) {
    this.#listener = listener;
  }

  begin(token: string): void {
    this.#passed = 0;
    this.#splitters.stdout.expect(token);
    this.#splitters.stderr.expect(token);
  }

  chunk(stream: Stream, chunk: Buffer): void {
    for (const piece of this.#splitters[stream].split(chunk)) {
      this.#waiting[stream].push(typeof piece === 'number' ? { mark: piece } : { bytes: piece });
      if (typeof piece !== 'number') this.#bytes[stream] += piece.length;
    }
    this.#drain();
  }

  message(message: Message): void {
    this.#waiting.channel.push(message.kind === 'mark' ? { mark: message.mark } : { message });
    this.#drain();
  }

  /** The process is gone: passes everything that is left, marks or not. */
  finish(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#waiting[stream].push({ bytes: this.#splitters[stream].end() });
    }
    for (const source of ['stdout', 'stderr', 'channel'] as const) {
      this.#waiting[source] = this.#waiting[source].filter((item) => !('mark' in item));
    }
    this.#drain();
  }

  #drain(): void {
    const { stdout, stderr, channel } = this.#waiting;
    do {
      this.#passUpToMark('stdout');
      this.#passUpToMark('stderr');
      this.#passUpToMark('channel');
    } while (stdout.length > 0 && stderr.length > 0 && channel.length > 0 && this.#passMark());
    this.#throttle('stdout');
    this.#throttle('stderr');
  }

  #passUpToMark(source: Source): void {
    const items = this.#waiting[source];
    for (let item = items[0]; item !== undefined && !('mark' in item); item = items[0]) {
      items.shift();
      if ('message' in item) this.#listener.message(item.message);
      else if (source !== 'channel') this.#passBytes(source, item.bytes);
    }
  }

  #passBytes(stream: Stream, bytes: Buffer): void {
    this.#bytes[stream] -= bytes.length;
    if (bytes.length > 0) this.#listener.bytes(stream, bytes);
  }

  /** All three are at a mark: it must be the same one, with the next number. */
  #passMark(): boolean {
    const marks = (['stdout', 'stderr', 'channel'] as const).map((source) => this.#waiting[source].shift());
    this.#passed += 1;
    const good = marks.every((item) => item && 'mark' in item && item.mark === this.#passed);
    if (!good) this.#listener.fault('a mark in its output that the driver did not write');
    return good;
  }

  #throttle(stream: Stream): void {
    this.#listener.pause(stream, this.#bytes[stream] > MAX_WAITING_BYTES);
  }
}
