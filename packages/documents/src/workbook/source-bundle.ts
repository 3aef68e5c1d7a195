/**
 * The source bundle, version 1: the files that a workbook was built from, as JSON, gzipped, in base64.
 *
 * Owns the payload and its limits; `bundle-tag.ts` defines the tag that contains it, `bundle-paths.ts` the allowed
 * paths.
 * - The same files give the same bytes: sorted by path, without timestamps, and only ASCII in the JSON, so that its
 *   length is the same in characters and in bytes.
 * - Reading trusts nothing: sizes are checked before anything is allocated, and a bundle is read as a whole or not at
 *   all.
 */
import { base64Size, decodeBase64, encodeBase64 } from './base64.ts';
import { pathProblems } from './bundle-paths.ts';
import type { BundleTag } from './bundle-tag.ts';

export const BUNDLE_VERSION = '1';
export const BUNDLE_FORMAT = 'json+gzip+base64';
/** A larger file is named in the bundle, without its content. */
export const FILE_LIMIT = 5 * 1024 * 1024;
/** For all files together; more is an error. */
export const BUNDLE_LIMIT = 50 * 1024 * 1024;
export const FILE_COUNT_LIMIT = 20_000;
/** For the JSON: base64 of the files, and room for their names. */
export const PAYLOAD_LIMIT = Math.ceil((BUNDLE_LIMIT * 4) / 3) + 16 * 1024 * 1024;

/** For a whole page: 50 MiB of sources become 68 in it, plus what was built from them. */
export const PAGE_LIMIT = 160 * 1024 * 1024;

export interface BundleFile {
  /** With forward slashes, below the root. */
  path: string;
  /** Absent: the file was over the limit. */
  content?: Uint8Array;
  mode: number;
  /** Set on a file without content. */
  originalSize?: number;
}

export interface SourceBundle {
  /** ISO 8601; the date of the sources, not of the build. */
  createdAt: string;
  rootName: string;
  files: readonly BundleFile[];
}

export type Gzip = (bytes: Uint8Array) => Uint8Array;
/** Throws if the result would be larger than the limit, before it is allocated. */
export type Gunzip = (bytes: Uint8Array, limit: number) => Uint8Array;

/** Files come with their content; those over the limit lose it here. Throws if all together are too large. */
export function packBundle(bundle: SourceBundle, gzip: Gzip): BundleTag {
  const files = [...bundle.files].sort((a, b) => (a.path < b.path ? -1 : 1)).map(bounded);
  const total = files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  if (total > BUNDLE_LIMIT) throw new BundleTooLarge(total);
  const refused = [...pathProblems(files.map(({ path }) => path))];
  if (refused.length > 0) throw new Error(`no path of a bundle: ${refused[0]!.path}: ${refused[0]!.why}`);
  const json = asciiJson({
    version: 1,
    createdAt: bundle.createdAt,
    rootName: bundle.rootName,
    files: files.map(toEntry),
  });
  const gzipped = neutralHeader(gzip(new TextEncoder().encode(json)));
  return {
    version: BUNDLE_VERSION,
    format: BUNDLE_FORMAT,
    rootName: bundle.rootName,
    fileCount: String(files.length),
    bundleSize: String(gzipped.length),
    uncompressedSize: String(json.length),
    content: encodeBase64(gzipped),
  };
}

export class BundleTooLarge extends Error {
  constructor(readonly bytes: number) {
    super(`the sources have ${bytes} bytes; a bundle holds at most ${BUNDLE_LIMIT}`);
  }
}

export type UnpackFault =
  | { kind: 'version'; got: string }
  | { kind: 'format'; got: string }
  | { kind: 'base64' | 'gzip' | 'too-large' }
  | { kind: 'json' | 'attributes'; why: string }
  | { kind: 'path'; path: string; why: string };

export interface Unpacked {
  /** Absent if a fault makes it unusable. */
  bundle?: SourceBundle;
  faults: UnpackFault[];
}

export function unpackBundle(tag: BundleTag, gunzip: Gunzip): Unpacked {
  if (tag.version !== BUNDLE_VERSION) return { faults: [{ kind: 'version', got: tag.version }] };
  if (tag.format !== BUNDLE_FORMAT) return { faults: [{ kind: 'format', got: tag.format }] };
  const text = tag.content.replaceAll(/[\t\n\f\r ]/g, '');
  if (base64Size(text) > PAYLOAD_LIMIT) return { faults: [{ kind: 'too-large' }] };
  const gzipped = decodeBase64(text);
  if (gzipped === undefined || gzipped.length === 0) return { faults: [{ kind: 'base64' }] };
  const json = inflated(gzipped, gunzip);
  if (typeof json !== 'string') return { faults: [json] };
  const read = readPayload(json);
  if ('faults' in read) return read;
  return { bundle: read, faults: attributeFaults(tag, read, gzipped.length, json) };
}

function inflated(gzipped: Uint8Array, gunzip: Gunzip): string | UnpackFault {
  try {
    const bytes = gunzip(gzipped, PAYLOAD_LIMIT);
    if (bytes.length > PAYLOAD_LIMIT) return { kind: 'too-large' };
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too-large' };
    return error instanceof TypeError ? { kind: 'json', why: 'it is not UTF-8' } : { kind: 'gzip' };
  }
}

function readPayload(json: string): SourceBundle | Unpacked {
  const wrong = (why: string): Unpacked => ({ faults: [{ kind: 'json', why }] });
  let payload: { version?: unknown; createdAt?: unknown; rootName?: unknown; files?: unknown } | null;
  try {
    payload = JSON.parse(json) as typeof payload;
  } catch {
    return wrong('it is not JSON');
  }
  if (typeof payload !== 'object' || payload === null) return wrong('it is not an object');
  if (payload.version !== 1) return { faults: [{ kind: 'version', got: String(payload.version) }] };
  const { createdAt, rootName, files } = payload;
  if (typeof createdAt !== 'string') return wrong('createdAt is not text');
  if (typeof rootName !== 'string') return wrong('rootName is not text');
  if (!Array.isArray(files)) return wrong('files is not a list');
  if (files.length > FILE_COUNT_LIMIT) return { faults: [{ kind: 'too-large' }] };
  const read: BundleFile[] = [];
  for (const [at, entry] of files.entries()) {
    const file = readEntry(entry);
    if (typeof file === 'string') return wrong(`file ${at + 1}: ${file}`);
    read.push(file);
  }
  const total = read.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  if (total > BUNDLE_LIMIT) return { faults: [{ kind: 'too-large' }] };
  const faults = pathProblems(read.map(({ path }) => path)).map((problem) => {
    return { kind: 'path' as const, ...problem };
  });
  return faults.length > 0 ? { faults } : { createdAt, rootName, files: read };
}

function readEntry(entry: unknown): BundleFile | string {
  if (typeof entry !== 'object' || entry === null) return 'it is not an object';
  const { path, content, mode, truncated, originalSize } = entry as Record<string, unknown>;
  if (typeof path !== 'string') return 'its path is not text';
  if (!Number.isInteger(mode) || (mode as number) < 0 || (mode as number) > 0o777)
    return `the mode of ${JSON.stringify(path)} is not a number from 0 to 0o777`;
  const file = { path, mode: mode as number };
  if (content === null && truncated === true)
    return Number.isSafeInteger(originalSize) ? { ...file, originalSize: originalSize as number } : file;
  const bytes = typeof content === 'string' ? decodeBase64(content) : undefined;
  return bytes ? { ...file, content: bytes } : `the content of ${JSON.stringify(path)} is not base64`;
}

/** A reader that believes the attributes would be misled. */
function attributeFaults(tag: BundleTag, bundle: SourceBundle, gzipped: number, json: string): UnpackFault[] {
  const bytes = () => new TextEncoder().encode(json).length;
  const wrong = (name: string, got: string, is: string | number): UnpackFault => ({
    kind: 'attributes',
    why: `${name} is ${JSON.stringify(got)}, expected ${JSON.stringify(is)}`,
  });
  const faults: UnpackFault[] = [];
  if (tag.rootName !== bundle.rootName) faults.push(wrong('data-root-name', tag.rootName, bundle.rootName));
  if (tag.fileCount !== String(bundle.files.length))
    faults.push(wrong('data-file-count', tag.fileCount, bundle.files.length));
  if (tag.bundleSize !== String(gzipped)) faults.push(wrong('data-bundle-size', tag.bundleSize, gzipped));
  // Other tools count characters, or bytes.
  if (tag.uncompressedSize !== String(json.length) && tag.uncompressedSize !== String(bytes()))
    faults.push(wrong('data-uncompressed-size', tag.uncompressedSize, json.length));
  return faults;
}

function bounded(file: BundleFile): BundleFile {
  if (file.content === undefined || file.content.length <= FILE_LIMIT) return file;
  return { path: file.path, mode: file.mode, originalSize: file.content.length };
}

function toEntry({ path, content, mode, originalSize }: BundleFile) {
  const bits = mode & 0o777;
  if (content) return { path, content: encodeBase64(content), mode: bits };
  return { path, content: null, mode: bits, truncated: true, originalSize: originalSize ?? 0 };
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** No time and no operating system: the gzip header would differ between machines. */
function neutralHeader(gzipped: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(gzipped);
  bytes.fill(0, 4, 8);
  bytes[9] = 0xff;
  return bytes;
}
