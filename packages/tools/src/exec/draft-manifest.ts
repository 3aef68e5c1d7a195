/**
 * The manifest of a running attempt: every field, what has ended, and the current command. A killed worker leaves it
 * behind.
 *
 * Commands come last, so that adding one takes a short write, however many there are. A shorter write is padded with
 * spaces, so that nothing of the previous one remains.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@woof/net';
import { MANIFEST } from './bundle-names.ts';
import type { CommandResult } from './exec-runner.ts';

const TAIL = '\n]}\n';

export type UnderWay = Omit<CommandResult, 'finished_at_ms' | 'status'> & {
  finished_at_ms: null;
  status: 'running';
};

export class DraftManifest {
  /** Where the next command is written, and where the file ends. */
  private at = 0;
  private size = 0;
  private count = 0;

  private constructor(private readonly file: FileHandle) {}

  static async begin(
    folder: string,
    { commands: _, ...fields }: JsonObject,
    ended: readonly CommandResult[],
  ): Promise<DraftManifest> {
    const draft = new DraftManifest(await open(join(folder, MANIFEST), 'w'));
    await draft.write(`${JSON.stringify(fields).slice(0, -1)},"commands":[`, true);
    for (const result of ended) if (result) await draft.add(result);
    return draft;
  }

  /** Shows a command as running until it is added or another begins. */
  async running(command: UnderWay): Promise<void> {
    await this.write(this.entry(command), false);
  }

  async add(result: CommandResult): Promise<void> {
    await this.write(this.entry(result), true);
    this.count += 1;
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private entry(command: CommandResult | UnderWay): string {
    return `${this.count === 0 ? '' : ','}\n${JSON.stringify(command)}`;
  }

  private async write(text: string, stays: boolean): Promise<void> {
    const bytes = Buffer.from(text);
    const end = this.at + bytes.length + TAIL.length;
    const room = Math.max(0, this.size - end);
    await this.file.write(Buffer.concat([bytes, Buffer.from(TAIL + ' '.repeat(room))]), 0, null, this.at);
    this.size = end + room;
    if (stays) this.at += bytes.length;
  }
}

/** Undefined if there is none, or if a crash of the machine truncated it. */
export async function readDraft(folder: string): Promise<JsonObject | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'));
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
