/**
 * The folder that a Slurm job and the worker share: the script writes its marks there, and the worker reads them.
 *
 * It is in the attempt's folder and is removed before that is sealed, so a job that Slurm starts again finds nothing.
 */
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@woof/net';
import { writeWhole } from '../partial.ts';

/** The name, and the index in an array, under which Slurm knows the job. */
export interface JobName extends JsonObject {
  name: string;
  index: number | null;
}

export interface CommandMarks {
  began?: number;
  ended?: { status: number; at: number };
  fault?: string;
}

/** What the script has reported so far. */
export interface Marks {
  /** Slurm's id of the job whose script began. */
  job?: string;
  commands: CommandMarks[];
  done: boolean;
}

export class JobArea {
  constructor(readonly folder: string) {}

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Returns false if an earlier lease created it. */
  async make(): Promise<boolean> {
    return (await mkdir(this.folder, { recursive: true, mode: 0o700 })) !== undefined;
  }

  async remove(): Promise<void> {
    // The job may be writing its last file.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async has(name: string): Promise<boolean> {
    return stat(this.path(name)).then(
      () => true,
      () => false,
    );
  }

  async read(name: string): Promise<string | undefined> {
    return readFile(this.path(name), 'utf8').catch(() => undefined);
  }

  /** Written atomically and readable only by this user, because scripts contain the environment of commands. */
  async write(name: string, text: string): Promise<void> {
    await writeFile(this.path(`${name}.new`), text, { mode: 0o600 });
    await rename(this.path(`${name}.new`), this.path(name));
  }

  /** Durable before sbatch is called, so that the job can be found again after a crash. */
  async writeName(name: JobName): Promise<void> {
    await writeWhole(this.path('name.new'), name);
    await rename(this.path('name.new'), this.path('name'));
    const folder = await open(this.folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async readName(): Promise<JobName | undefined> {
    const text = await this.read('name');
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isObject(value) ? (value as JobName) : undefined;
  }

  /** The lease that now looks after the job. An older one must not cancel it. */
  async own(fence: number): Promise<void> {
    await this.write('owner', String(fence));
  }

  /** Also false if the area is gone: a later lease has finished. */
  async isOwnedBy(fence: number): Promise<boolean> {
    const owner = await this.read('owner');
    return owner === undefined ? this.has('.') : Number(owner) <= fence;
  }

  async marks(): Promise<Marks> {
    const marks: Marks = { commands: [], done: false };
    const lines = ((await this.read('marks')) ?? '').split('\n');
    // Text after the last line feed is not complete yet.
    for (const line of lines.slice(0, -1)) addMark(marks, line.split(' '));
    return marks;
  }
}

function addMark(marks: Marks, [word, ...rest]: string[]): void {
  if (word === 'job') marks.job = rest[0]!;
  else if (word === 'done') marks.done = true;
  else {
    const [index, first, second] = rest.map(Number);
    marks.commands[index!] ??= {};
    const command = marks.commands[index!]!;
    if (word === 'began') command.began = first!;
    if (word === 'ended') command.ended = { status: first!, at: second! };
    if (word === 'fault') command.fault = rest.slice(1).join(' ');
  }
}
