/**
 * Copies one output of a command from the job's area into the bundle while the command writes it: without secrets, and
 * with a bounded part in the log view. Memory does not grow with the size.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Redactor } from '../redactor.ts';

/** Per stream, for the log view. The file contains everything. */
const SHOWN_BYTES = 10 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

export class OutputCopy {
  private readonly redaction: ReturnType<Redactor['stream']>;
  private readonly decoder = new StringDecoder('utf8');
  private target: FileHandle | undefined;
  private read = 0;
  private written = 0;
  /** What an earlier lease has already shown. */
  private shownBefore = 0;

  constructor(
    private readonly from: string,
    private readonly to: string,
    redactor: Redactor,
    private readonly show: (text: string) => void,
  ) {
    this.redaction = redactor.stream();
  }

  /** Copies whatever is new. */
  async pull(): Promise<void> {
    const source = await open(this.from, 'r').catch(() => undefined);
    if (source === undefined) return;
    try {
      const buffer = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, buffer.length, this.read);
        if (bytesRead === 0) return;
        this.read += bytesRead;
        await this.write(this.redaction.push(Buffer.from(buffer.subarray(0, bytesRead))));
      }
    } finally {
      await source.close();
    }
  }

  async end(): Promise<void> {
    await this.pull();
    await this.write(this.redaction.end());
    await this.opened();
    await this.target?.close();
  }

  /** Nothing more will arrive, and what was copied stays. */
  async close(): Promise<void> {
    await this.target?.close();
    this.target = undefined;
  }

  private async opened(): Promise<FileHandle> {
    if (this.target === undefined) {
      this.shownBefore = await stat(this.to).then(
        ({ size }) => size,
        () => 0,
      );
      this.target = await open(this.to, 'w');
    }
    return this.target;
  }

  private async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const target = await this.opened();
    this.showSome(bytes);
    for (let at = 0; at < bytes.length; ) at += (await target.write(bytes, at)).bytesWritten;
    this.written += bytes.length;
  }

  private showSome(bytes: Buffer): void {
    const from = Math.max(0, this.shownBefore - this.written);
    const room = SHOWN_BYTES - this.written;
    if (room <= 0 || from >= bytes.length) return;
    const text = this.decoder.write(bytes.subarray(from, room));
    if (text !== '') this.show(text);
    if (bytes.length >= room) this.show('\n… the rest is in the bundle\n');
  }
}
