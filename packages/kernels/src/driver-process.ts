/**
 * A driver's process as the host sees it: requests go in, messages and output come out, in order.
 *
 * Owns: the sandboxed process, the channel, who may answer what. Does not own: what a request means.
 *
 * Invariants: one request at a time. A line ends the process if it is not a message, if nobody asked for it, or if it
 * lacks the request's number and token: nothing that the process says after it could be trusted. Code in the same
 * interpreter can find the channel and answer for its own cell, which tells the host nothing that the cell could not
 * make the driver say. It learns the token of another cell's request only while it runs beside that cell.
 */
import { randomBytes } from 'node:crypto';
import type { Duplex, Readable, Writable } from 'node:stream';
import {
  type ContainedProcess,
  type SandboxExit,
  type SandboxedProcess,
  type SandboxSpec,
  spawnSandboxed,
} from '@woof/sandbox';
import type { Driver, RequestBody } from './driver.ts';
import { EmbeddedChannel } from './embedded-channel.ts';
import type { CellOutput } from './kernel.ts';
import { LineReader } from './line-reader.ts';
import { type Message, type MessageBody, toMessage } from './message.ts';
import { OutputOrder, type Stream } from './output-order.ts';

export type End = Extract<MessageBody, { kind: 'end' }>;

export interface RequestListener {
  bytes(stream: Stream, bytes: Buffer): void;
  output(output: CellOutput): void;
}

/** How the process ended. `fault` is set if the host ended it because of a message. */
export interface Death extends SandboxExit {
  fault?: string;
  complaint: string;
}

interface Open extends RequestListener {
  n: number;
  token: string;
  resolve(end: End | undefined): void;
}

const MAX_LINE_BYTES = 128 * 1024 * 1024;
const MAX_COMPLAINT = 4000;
/** Without a sandbox, other processes may outlive this one and hold its pipes. Its own output has arrived by then. */
const DRAIN_MS = 500;

export class DriverProcess {
  readonly #driver: Driver;
  readonly #process: SandboxedProcess;
  /** Requests are written to this stream. */
  readonly #channel: Writable;
  readonly #embedded: EmbeddedChannel | undefined;
  readonly #order: OutputOrder;
  readonly #closed: Promise<unknown>;
  #count = 0;
  #open: Open | undefined;
  #fault: string | undefined;
  #complaint = '';
  #greeted = false;
  alive = true;
  readonly ended: Promise<Death>;

  /** A sandbox is started here. A container is already running, and its driver is connected. */
  constructor(driver: Driver, place: SandboxSpec | ContainedProcess) {
    this.#driver = driver;
    this.#order = new OutputOrder({
      bytes: (stream, bytes) => this.#bytes(stream, bytes),
      message: (message) => this.#message(message),
      fault: (what) => this.#end(what),
      pause: (stream, paused) => this.#pause(stream, paused),
    });
    const embedded = driver.channel === 'embedded';
    const stdio = embedded ? PIPES : (['ignore', 'pipe', 'pipe', 'pipe'] as const);
    const contained = 'channel' in place ? place.channel : undefined;
    this.#process = 'channel' in place ? place : spawnSandboxed({ ...place, stdio: [...stdio] });
    if (embedded) {
      this.#embedded = new EmbeddedChannel(
        (bytes) => this.#order.chunk('stdout', bytes),
        (line) => this.#line(line),
      );
    }
    this.#channel = embedded ? (this.#process.child.stdin as Writable) : this.#openChannel(contained);
    this.#closed = Promise.all([this.#listen('stdout'), this.#listen('stderr'), closed(this.#channel)]);
    // A driver that lost its channel cannot answer any more, even if its process is still alive.
    this.#channel.once('close', () => void delay(DRAIN_MS).then(() => this.alive && this.kill()));
    this.ended = this.#settle();
  }

  /** Undefined if the process ended before it answered. */
  request(body: RequestBody, listener: RequestListener = SILENT): Promise<End | undefined> {
    return new Promise((resolve) => {
      if (!this.alive) return resolve(undefined);
      if (this.#open) throw new Error('a kernel takes one request at a time');
      const token = randomBytes(16).toString('hex');
      this.#count += 1;
      this.#open = { ...listener, n: this.#count, token, resolve };
      this.#order.begin(token);
      this.#embedded?.expect(token);
      this.#channel.write(this.#driver.encode({ n: this.#count, token, ...body }));
    });
  }

  /** Any byte on the channel interrupts a running cell. */
  interrupt(): void {
    if (this.alive) this.#channel.write('\n');
  }

  kill(): void {
    this.#process.kill();
  }

  get user(): SandboxedProcess['user'] {
    return this.#process.user;
  }

  changeMemory(memoryMb: number): 'done' | 'full' | 'impossible' {
    return this.#process.changeMemory(memoryMb);
  }

  #openChannel(contained: Duplex | undefined): Duplex {
    const channel = contained ?? (this.#process.child.stdio[3] as Duplex);
    const lines = new LineReader(
      MAX_LINE_BYTES,
      (line) => this.#line(line),
      () => this.#end('a line without end'),
    );
    channel.on('data', (chunk: Buffer) => lines.write(chunk));
    return channel;
  }

  #listen(stream: Stream): Promise<void> {
    const readable = this.#process.child[stream] as Readable;
    const embedded = stream === 'stdout' ? this.#embedded : undefined;
    readable.on('data', (chunk: Buffer) => {
      if (embedded) embedded.write(chunk);
      else this.#order.chunk(stream, chunk);
    });
    return closed(readable);
  }

  #pause(stream: Stream, paused: boolean): void {
    const readable = this.#process.child[stream] as Readable;
    if (paused === readable.isPaused()) return;
    if (paused) readable.pause();
    else readable.resume();
  }

  #bytes(stream: Stream, bytes: Buffer): void {
    // Before the first answer, messages come from the interpreter or the sandbox.
    if (!this.#greeted) this.#complaint = (this.#complaint + bytes.toString()).slice(-MAX_COMPLAINT);
    else this.#open?.bytes(stream, bytes);
  }

  #line(line: string): void {
    if (this.#fault !== undefined) return;
    const message = toMessage(line);
    if (!message) this.#end('a line that is not a message');
    else if (!this.#open) this.#end('a message without a request');
    else if (message.n !== this.#open.n || message.token !== this.#open.token) {
      this.#end('a message without the token of its request');
    } else this.#order.message(message);
  }

  #message(message: Message): void {
    if (this.#fault !== undefined) return;
    const open = this.#open;
    if (message.kind === 'output') open?.output(message.output);
    if (message.kind !== 'end') return;
    this.#open = undefined;
    // Messages from the start-up do not explain later failures.
    if (!this.#greeted) this.#complaint = '';
    this.#greeted = true;
    open?.resolve(message);
  }

  #end(fault: string): void {
    this.#fault ??= fault;
    this.kill();
  }

  async #settle(): Promise<Death> {
    const exit = await this.#process.exited.catch((error: unknown) => {
      this.#complaint += String(error);
      return { code: null, signal: null, outOfMemory: false };
    });
    for (const stream of ['stdout', 'stderr'] as const) this.#process.child[stream]?.resume();
    await Promise.race([this.#closed, delay(DRAIN_MS)]);
    for (const stream of this.#process.child.stdio) stream?.destroy();
    this.#embedded?.end();
    this.#order.finish();
    this.alive = false;
    const open = this.#open;
    this.#open = undefined;
    open?.resolve(undefined);
    const fault = this.#fault === undefined ? {} : { fault: this.#fault };
    return { ...exit, ...fault, complaint: this.#complaint.trim() };
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

const PIPES = ['pipe', 'pipe', 'pipe'] as const;

const SILENT: RequestListener = { bytes: () => undefined, output: () => undefined };

function closed(stream: Readable | Writable): Promise<void> {
  // A process that ends early breaks its pipes; its exit tells why.
  stream.on('error', () => undefined);
  return new Promise((resolve) => stream.once('close', () => resolve()));
}
