/**
 * Passes the outputs of one cell to its sink.
 *
 * Owns: the limit on what is kept, whole characters (invalid UTF-8 becomes U+FFFD), pieces of bounded length. Text
 * waits briefly for more text in the same stream, so that a million lines do not become a million outputs.
 */

import { StringDecoder } from 'node:string_decoder';
import { encodeJson } from '@woof/net';
import { DEFAULT_KEPT_BYTES } from '@woof/sandbox';
import type { CellOutput, CellSink } from './kernel.ts';
import type { Stream } from './output-order.ts';

const MAX_TEXT_BYTES = 64 * 1024;
/** Figures become files, so they do not count towards the limit of the sidecar. */
const MAX_FIGURE_BYTES = 64 * 1024 * 1024;
const WAIT_MS = 25;

export class CellOutputs {
  readonly #sink: CellSink;
  readonly #decoders: Record<Stream, StringDecoder> = {
    stdout: new StringDecoder('utf8'),
    stderr: new StringDecoder('utf8'),
  };
  #waiting: { name: Stream; text: string } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #room: number;
  #figureRoom = MAX_FIGURE_BYTES;
  droppedBytes = 0;

  constructor(sink: CellSink, maxBytes = DEFAULT_KEPT_BYTES) {
    this.#sink = sink;
    this.#room = maxBytes;
  }

  bytes(name: Stream, chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#room);
    this.#room -= kept.length;
    this.droppedBytes += chunk.length - kept.length;
    for (let at = 0; at < kept.length; at += MAX_TEXT_BYTES) {
      this.#text(name, this.#decoders[name].write(kept.subarray(at, at + MAX_TEXT_BYTES)));
    }
  }

  display(output: CellOutput): void {
    const size = Buffer.byteLength(encodeJson(output));
    if (size > (isFigure(output) ? this.#figureRoom : this.#room)) {
      this.droppedBytes += size;
      return;
    }
    if (isFigure(output)) this.#figureRoom -= size;
    else this.#room -= size;
    this.#flush();
    this.#sink.output(output);
  }

  /** An error is small and always passed on. */
  error(output: CellOutput): void {
    this.#flush();
    this.#sink.output(output);
  }

  end(): void {
    for (const name of ['stdout', 'stderr'] as const) this.#text(name, this.#decoders[name].end());
    this.#flush();
  }

  #text(name: Stream, text: string): void {
    if (text === '') return;
    const before = this.#waiting;
    if (before && (before.name !== name || before.text.length + text.length > MAX_TEXT_BYTES)) this.#flush();
    this.#waiting = { name, text: (this.#waiting?.text ?? '') + text };
    this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = undefined;
    if (text) this.#sink.output({ output_type: 'stream', ...text });
  }
}

function isFigure(output: CellOutput): boolean {
  return 'data' in output && Object.keys(output.data).some((type) => type.startsWith('image/'));
}
