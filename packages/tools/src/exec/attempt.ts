/**
 * One try of a block: the folder that collects its evidence until it is sealed as a bundle.
 *
 * Owns: `<attempt>.partial` and the record of what ended in it, which a process needs after a crash. Does not own: what
 * runs (runners), what the manifest says (the tool).
 * Invariant: a folder without the suffix is complete and never changes again.
 */
import { type FileHandle, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { folderName, INTENT, MANIFEST, OPEN_SUFFIX, RESULTS } from './bundle-names.ts';
import { carryOver } from './carry-over.ts';
import { DraftManifest } from './draft-manifest.ts';
import type { CommandResult } from './exec-runner.ts';
import { isOwned, type Owner, ownMark } from './owner.ts';
import { type Intent, readIntent, readResults } from './partial.ts';
import { giveName, sealFolder } from './seal-folder.ts';
import { sealLost } from './seal-lost.ts';

export interface AttemptPlace {
  /** The folder of all bundles. */
  runs: string;
  executionId: string;
  stage: string;
}

type Redact = (result: CommandResult) => CommandResult;

export interface OpenOptions {
  intent: Intent;
  /** Continue in the folder of an earlier lease of the same try: its commands still run, wherever its worker is. */
  adopt: boolean;
  /** Applied to every result before it is written, so that not even a crash leaves secrets behind. */
  redact?: Redact;
  /** Take over the command results of a lost lease of the same try. */
  resume: boolean;
}

/** Folders that this process works in. */
const live = new Set<string>();

export class Attempt {
  /** By index of the command. */
  readonly results: CommandResult[];
  #journal: FileHandle | undefined;
  #draft: DraftManifest | undefined;

  private constructor(
    readonly number: number,
    /** Where files are written while it is open. */
    readonly folder: string,
    readonly intent: Intent,
    results: CommandResult[],
    private readonly redact: Redact,
  ) {
    this.results = results;
  }

  /** The name of its folder once it is sealed. */
  get bundle(): string {
    return this.folder.slice(0, -OPEN_SUFFIX.length);
  }

  static async open(
    place: AttemptPlace,
    { intent, adopt, resume, redact = (result) => result }: OpenOptions,
  ): Promise<Attempt> {
    const stage = join(place.runs, folderName(place.executionId), folderName(place.stage));
    await mkdir(stage, { recursive: true });
    await nameSealed(stage);
    const names = await readdir(stage);
    const opened = await openAttempts(stage, names);
    const isMine = ({ intent: theirs }: Opened) => isSameTry(theirs, intent);
    // It does not matter whether the previous worker is alive: the fence says that it has lost the lease.
    const earlier = opened.filter(isMine).findLast(({ intent: theirs }) => theirs.fence <= intent.fence);
    if (adopt && earlier)
      return Attempt.#go(earlier.number, earlier.folder, { ...earlier.intent, fence: intent.fence }, redact);
    const left = opened.filter(({ folder, intent: theirs }) => !live.has(folder) && !isOwned(theirs));
    const attempt = await Attempt.#create(stage, names, intent, redact);
    if (resume)
      await carryOver(
        stage,
        names,
        attempt,
        left.filter(isMine).map(({ folder }) => folder),
      );
    for (const { folder, intent: theirs } of left) await sealLost(folder, theirs, place);
    return attempt;
  }

  static async #create(stage: string, names: string[], intent: Intent, redact: Redact): Promise<Attempt> {
    for (
      let number = 1 + Math.max(0, ...names.map((name) => Number.parseInt(name, 10) || 0));
      ;
      number += 1
    ) {
      const folder = join(stage, `${number}${OPEN_SUFFIX}`);
      const made = await mkdir(folder).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          return false;
        },
      );
      if (made) return Attempt.#go(number, folder, intent, redact);
    }
  }

  static async #go(number: number, folder: string, intent: Intent, redact: Redact): Promise<Attempt> {
    live.add(folder);
    await writeFile(join(folder, INTENT), JSON.stringify({ ...intent, ...ownMark() }));
    return new Attempt(number, folder, intent, await readResults(folder), redact);
  }

  /** Writes what is known before the commands run, for the case that the worker is killed. */
  async draft(manifest: JsonObject): Promise<void> {
    this.#draft = await DraftManifest.begin(this.folder, manifest, this.results);
  }

  async begun(command: CommandResult): Promise<void> {
    const underWay = {
      ...this.redact(command),
      finished_at_ms: null,
      status: 'running',
      error: null,
    } as const;
    await this.#draft?.running(underWay);
  }

  /** The command ended, and its files are complete. */
  async record(given: CommandResult): Promise<void> {
    const result = this.redact(given);
    this.results[result.index] = result;
    this.#journal ??= await open(join(this.folder, RESULTS), 'a');
    await this.#journal.write(`${JSON.stringify(result)}\n`);
    await this.#draft?.add(result);
  }

  /** Turns it into a bundle that never changes again. Returns the digest of its sums. */
  async seal(manifest: JsonObject): Promise<string> {
    await this.#closeFiles();
    const digest = await sealFolder(this.folder, this.bundle, manifest);
    live.delete(this.folder);
    return digest;
  }

  /** The folder stays open for the next lease. */
  async leave(): Promise<void> {
    await this.#closeFiles();
    live.delete(this.folder);
  }

  /** Removes the folder, unless a later lease has taken it over. */
  async discard(): Promise<void> {
    await this.leave();
    if (((await readIntent(this.folder))?.fence ?? 0) > this.intent.fence) return;
    await rm(this.folder, { recursive: true, force: true });
  }

  async #closeFiles(): Promise<void> {
    await this.#journal?.close();
    await this.#draft?.close();
    this.#journal = undefined;
    this.#draft = undefined;
  }
}

export interface Opened {
  number: number;
  folder: string;
  intent: Intent & Owner;
}

/** Renames folders that a dead process sealed but did not rename. */
async function nameSealed(stage: string): Promise<void> {
  for (const name of (await readdir(stage)).filter((each) => each.endsWith(OPEN_SUFFIX))) {
    const folder = join(stage, name);
    const there = await readdir(folder).catch((): string[] => []);
    if (there.includes(INTENT) || !there.includes(MANIFEST)) continue;
    // Another process may do this at the same time.
    await giveName(folder, folder.slice(0, -OPEN_SUFFIX.length)).catch(() => undefined);
  }
}

/** Attempts that are not sealed yet, oldest first. */
export async function openAttempts(stage: string, names: string[]): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (const name of names.filter((each) => each.endsWith(OPEN_SUFFIX))) {
    const folder = join(stage, name);
    const intent = await readIntent(folder);
    if (intent) opened.push({ number: Number.parseInt(name, 10), folder, intent });
  }
  return opened.sort((a, b) => a.number - b.number);
}

function isSameTry(a: Intent, b: Intent): boolean {
  return a.attempt === b.attempt && a.block_sha256 === b.block_sha256;
}
