/**
 * The files of one folder as a page names them. Reads nothing outside the folder, and records every problem instead of
 * stopping at the first, so that the author sees them all at once.
 */
import { realpathSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { encodeBase64, isInside, Source, type Span, workbookProblems } from '@woof/documents/workbook';
import type { Diagnostic } from '@woof/net';
import { secretProblems } from '../pack-sources.ts';
import { readPlainFile } from '../read-sources.ts';
import type { FileProblem } from '../refused.ts';
import { mediaTypeOf } from './media-types.ts';

/** For everything that is inlined in a page. */
const INLINE_LIMIT = 100 * 1024 * 1024;

export interface FoundFile {
  /** Below the folder, with forward slashes. */
  path: string;
  content: Uint8Array;
  /** The `#…` part of its address. */
  fragment: string;
}

export class FolderFiles {
  readonly root: string;
  readonly problems: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];
  readonly #read = new Map<string, Uint8Array | undefined>();
  readonly #sources = new Map<string, Source>();
  #bytes = 0;

  constructor(
    folder: string,
    readonly includeSecrets: readonly string[] = [],
  ) {
    this.root = realpathSync(folder);
  }

  refuse(file: string, problem: Diagnostic): void {
    if (!this.problems.some((each) => sameProblem(each, file, problem)))
      this.problems.push({ ...problem, file });
  }

  warn(file: string, problem: Diagnostic): void {
    this.warnings.push({ ...problem, file });
  }

  /** The file that an address in `from` refers to. Undefined if there is none, or if the address needs none. */
  find(url: string, from: string, at: Span): FoundFile | undefined {
    if (isInside(url)) return undefined;
    if (isRemote(url)) return this.#refused(from, workbookProblems.remote(at, url));
    const path = pathOf(url, from);
    if (path === undefined || path === '..' || path.startsWith('../'))
      return this.#refused(from, workbookProblems.outside(at, url));
    const content = this.read(path);
    if (content === 'outside') return this.#refused(from, workbookProblems.outside(at, url));
    if (content === undefined) return this.#refused(from, workbookProblems.missing(at, url));
    return { path, content, fragment: /#.*$/.exec(url)?.[0] ?? '' };
  }

  read(path: string): Uint8Array | 'outside' | undefined {
    if (!this.#read.has(path)) {
      const real = realPath(join(this.root, path));
      if (real !== undefined && !`${real}${sep}`.startsWith(this.root + sep)) return 'outside';
      this.#read.set(path, real === undefined ? undefined : this.#load(path, real));
    }
    return this.#read.get(path);
  }

  text(path: string): string {
    const content = this.read(path);
    return content instanceof Uint8Array ? new TextDecoder().decode(content) : '';
  }

  dataUrl({ path, content, fragment }: FoundFile): string {
    return `data:${mediaTypeOf(path)};base64,${encodeBase64(content)}${fragment}`;
  }

  /** The position of an offset in a file. */
  span(path: string, start: number, end = start + 1): Span {
    let source = this.#sources.get(path);
    if (!source) {
      source = new Source(this.text(path));
      this.#sources.set(path, source);
    }
    return source.span(start, end);
  }

  #load(path: string, real: string): Uint8Array | undefined {
    const file = readPlainFile(real, INLINE_LIMIT - this.#bytes);
    if (file === undefined) return undefined;
    if (file.content === undefined) {
      const why = `with ${path} the page would have more than ${INLINE_LIMIT} bytes`;
      this.refuse(path, workbookProblems.sourcesTooLarge({ line: 1, column: 1, endColumn: 2 }, why));
      return new Uint8Array();
    }
    this.#bytes += file.size;
    for (const problem of secretProblems(path, file.content, this.includeSecrets)) this.refuse(path, problem);
    return file.content;
  }

  #refused(from: string, problem: Diagnostic): undefined {
    this.refuse(from, problem);
  }
}

function sameProblem(one: FileProblem, file: string, { code, line, column, message }: Diagnostic): boolean {
  return (
    one.file === file &&
    one.code === code &&
    one.line === line &&
    one.column === column &&
    one.message === message
  );
}

export function isRemote(url: string): boolean {
  return /^\s*(\/\/|[a-z][a-z0-9+.-]*:)/i.test(url);
}

/** An address that begins with a slash is relative to the folder, as it would be at a server. */
function pathOf(url: string, from: string): string | undefined {
  const plain = url.trim().replace(/[?#].*$/s, '');
  let path: string;
  try {
    path = decodeURIComponent(plain);
  } catch {
    path = plain;
  }
  if (path.includes('\0')) return undefined;
  return path.startsWith('/')
    ? posix.normalize(path).slice(1)
    : posix.normalize(posix.join(posix.dirname(from), path));
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
