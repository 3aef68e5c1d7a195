/** Registered documents: by path, and each version by the hash of its text. A registered version never changes. */
import { createHash } from 'node:crypto';
import type { Resolved } from '@woof/engine';
import type { DeclaredSchedule, Diagnostic, JsonObject, Plan } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { Records } from '@woof/stores';
import type { Compile, Compiled } from './parts.ts';
import { RecentTexts } from './recent-texts.ts';

const DOCUMENTS = 'documents';
const VERSIONS = 'document-versions';
const LONGEST_NAME = 200;
const REMEMBERED_VERSIONS = 1000;
/** Maximum number of characters of the texts that are cached, and of the texts whose plans are cached. */
const REMEMBERED_TEXT = 4_000_000;

export interface DocumentSummary {
  path: string;
  kind: string;
  name: string;
  version: string;
  versions: number;
  registered_at: number;
}

export interface DocumentText extends DocumentSummary {
  text: string;
  file?: string;
  history: { version: string; registered_at: number }[];
}

export interface Newest {
  version: string;
  registered_at: number;
  schedules: readonly DeclaredSchedule[];
}

interface Kept extends JsonObject {
  kind: string;
  name: string;
  version: string;
  registered_at: number;
  history: { version: string; registered_at: number }[];
}

interface Version extends JsonObject {
  text: string;
  file?: string;
}

export interface Placing {
  file?: string | undefined;
  /** Used if the document does not name a path itself. */
  path?: string | undefined;
}

export class Catalogue {
  /**
   * By text, for the file under which it was last compiled. A lookup with the same string does not read its characters.
   */
  private readonly plans = new RecentTexts<{ file: string | undefined; compiled: Compiled }>(
    REMEMBERED_TEXT,
    (text) => text.length,
  );
  private readonly versions = new RecentTexts<Version>(REMEMBERED_TEXT, (_, { text }) => text.length);

  constructor(
    private readonly records: Records,
    private readonly compile: Compile,
    private readonly now: () => number,
  ) {}

  /** The path under which a text would be registered, and the schedules that it declares. */
  placed(text: string, options: Placing): { path: string; schedules: readonly DeclaredSchedule[] } {
    const { plan, schedules = [] } = this.runnable(text, options.file);
    const path = plan.path ?? options.path;
    if (path === undefined || !PATH.test(path))
      throw new Problem(
        'request/invalid',
        'the document has no usable metadata.path; add one, such as sales/orders, or send "path" with the call',
      );
    return { path, schedules };
  }

  async register(text: string, options: Placing): Promise<DocumentSummary & { diagnostics: Diagnostic[] }> {
    const { plan, kind, diagnostics } = this.runnable(text, options.file);
    const { path } = this.placed(text, options);
    const version = createHash('sha256').update(text).digest('hex').slice(0, 32);
    const file = options.file === undefined ? {} : { file: options.file };
    await this.records.put(VERSIONS, `${path}@${version}`, { text, ...file });
    const kept = await this.note(path, { kind, name: plan.name, version });
    return { ...summaryOf(path, kept), diagnostics };
  }

  async list(page: { prefix?: string | undefined; after?: string | undefined; limit?: number | undefined }) {
    const { prefix, after, limit = 100 } = page;
    const found = await this.records.list(DOCUMENTS, {
      ...(prefix ? { prefix } : {}),
      ...(after ? { after } : {}),
      limit,
    });
    const documents = found.map(({ key, value }) => summaryOf(key, value as Kept));
    return { documents, ...(found.length === limit ? { next: found.at(-1)!.key } : {}) };
  }

  async get(path: string, version?: string): Promise<DocumentText> {
    const kept = (await this.records.get(DOCUMENTS, path))?.value as Kept | undefined;
    if (kept === undefined) throw new Problem('not-found', `no document is registered under "${path}"`);
    const wanted = version ?? kept.version;
    const { text, file } = await this.version(path, wanted, kept);
    const { history } = kept;
    return { ...summaryOf(path, kept), version: wanted, text, history, ...(file ? { file } : {}) };
  }

  /** A text that is registered again gets a new time, so an entry that is cached under a time never changes. */
  private async version(path: string, version: string, { history }: Kept): Promise<Version> {
    const registered = history.find((entry) => entry.version === version)?.registered_at;
    const key = `${path}@${version}`;
    const remembered = `${key}@${registered}`;
    const known = registered === undefined ? undefined : this.versions.get(remembered);
    if (known) return known;
    const stored = (await this.records.get(VERSIONS, key))?.value as Version | undefined;
    if (stored === undefined) throw new Problem('not-found', `"${path}" has no version ${version}`);
    if (registered !== undefined) this.versions.set(remembered, stored);
    return stored;
  }

  async remove(path: string): Promise<void> {
    const kept = (await this.records.get(DOCUMENTS, path))?.value as Kept | undefined;
    if (kept === undefined || !(await this.records.remove(DOCUMENTS, path)))
      throw new Problem('not-found', `no document is registered under "${path}"`);
    for (const { version } of kept.history) await this.records.remove(VERSIONS, `${path}@${version}`);
  }

  /** The newest version and the schedules that it declares: none, if its text is gone or no longer compiles. */
  async newest(path: string): Promise<Newest | undefined> {
    const kept = (await this.records.get(DOCUMENTS, path))?.value as Kept | undefined;
    if (kept === undefined) return undefined;
    const { version, registered_at } = kept;
    const stored = await this.records.get(VERSIONS, `${path}@${version}`);
    const { text, file } = (stored?.value ?? {}) as { text?: string; file?: string };
    const { schedules = [] } = text === undefined ? {} : this.compiled(text, file);
    return { version, registered_at, schedules };
  }

  async registeredAt(path: string): Promise<number | undefined> {
    return ((await this.records.get(DOCUMENTS, path))?.value as Kept | undefined)?.registered_at;
  }

  /** The plan of a text. Throws a problem with all diagnostics if there is none. */
  runnable(text: string, file: string | undefined): Compiled & { plan: Plan } {
    const compiled = this.compiled(text, file);
    const { plan, diagnostics } = compiled;
    if (plan !== undefined) return { ...compiled, plan: withShortNames(plan) };
    const first = diagnostics.find(({ severity }) => severity === 'error');
    const detail = first ? `line ${first.line}: ${first.message}` : 'the document cannot be run';
    throw new Problem('document/invalid', detail, { diagnostics });
  }

  /** The document of a nested playbook. */
  async resolve(path: string): Promise<Resolved | { message: string }> {
    try {
      const { text, file } = await this.get(path);
      return { plan: this.runnable(text, file).plan, source: file === undefined ? {} : { file }, text };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { message: `nested playbook ${path}: ${error.message}` };
    }
  }

  /** The same text gives the same plan, so it is compiled only once while it is in use. */
  private compiled(text: string, file: string | undefined): Compiled {
    const known = this.plans.get(text);
    if (known !== undefined && known.file === file) return known.compiled;
    const compiled = this.compile(text, file);
    this.plans.set(text, { file, compiled });
    return compiled;
  }

  /** Retries until no concurrent write interferes. */
  private async note(path: string, { kind, name, version }: { kind: string; name: string; version: string }) {
    for (;;) {
      const stored = await this.records.get(DOCUMENTS, path);
      const before = stored?.value as Kept | undefined;
      // It only increases, so that it tells which of two versions is newer.
      const registered_at = Math.max(this.now(), (before?.registered_at ?? 0) + 1);
      const others = (before?.history ?? []).filter((entry) => entry.version !== version);
      const history = [{ version, registered_at }, ...others].slice(0, REMEMBERED_VERSIONS);
      const kept: Kept = { kind, name, version, registered_at, history };
      if (await this.records.put(DOCUMENTS, path, kept, stored?.version ?? 0)) return kept;
    }
  }
}

/** Names and paths appear in every list of runs. */
function withShortNames(plan: Plan): Plan {
  const { name, path = '' } = plan;
  if (name.length <= LONGEST_NAME && path.length <= LONGEST_NAME) return plan;
  const [what, is] = name.length > LONGEST_NAME ? ['name', name] : ['path', path];
  const detail = `the ${what} of the document has ${is.length} characters; the limit is ${LONGEST_NAME}`;
  throw new Problem('request/too-large', detail);
}

const PATH = /^[\w.-]+(\/[\w.-]+)*$/;

function summaryOf(path: string, { kind, name, version, registered_at, history }: Kept): DocumentSummary {
  return { path, kind, name, version, registered_at, versions: history.length };
}
