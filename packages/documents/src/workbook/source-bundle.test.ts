import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { pathProblems } from './bundle-paths.ts';
import type { BundleTag } from './bundle-tag.ts';
import { embedBundle } from './embed-bundle.ts';
import { readWorkbook } from './read-workbook.ts';
import { type BundleFile, FILE_LIMIT, packBundle, type SourceBundle, unpackBundle } from './source-bundle.ts';

const gzip = (bytes: Uint8Array): Uint8Array => gzipSync(bytes);
const gunzip = (bytes: Uint8Array, limit: number): Uint8Array =>
  gunzipSync(bytes, { maxOutputLength: limit });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const CREATED = '2026-01-02T03:04:05.000Z';

function bundleOf(files: Record<string, string>, more: Partial<SourceBundle> = {}): SourceBundle {
  const entries = Object.entries(files).map(([path, text]) => ({
    path,
    content: bytesOf(text),
    mode: 0o644,
  }));
  return { createdAt: CREATED, rootName: 'demo', files: entries, ...more };
}

/** A tag around any payload, as a hostile builder would make it. */
function forged(payload: unknown, more: Partial<BundleTag> = {}): BundleTag {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const bytes = gzipSync(text);
  return {
    version: '1',
    format: 'json+gzip+base64',
    rootName: 'demo',
    fileCount: '1',
    bundleSize: String(bytes.length),
    uncompressedSize: String(text.length),
    content: bytes.toString('base64'),
    ...more,
  };
}

const payload = (...files: unknown[]) => ({ version: 1, createdAt: CREATED, rootName: 'demo', files });
const entry = (path: string) => ({ path, content: 'aGk=', mode: 0o644 });

describe('packBundle', () => {
  it('writes the payload as other tools read it', () => {
    const tag = packBundle(bundleOf({ 'b.txt': 'two', 'a/é.txt': 'one' }), gzip);
    const json = gunzipSync(Buffer.from(tag.content, 'base64')).toString('utf8');
    expect(JSON.parse(json)).toEqual({
      version: 1,
      createdAt: CREATED,
      rootName: 'demo',
      files: [
        { path: 'a/é.txt', content: 'b25l', mode: 0o644 },
        { path: 'b.txt', content: 'dHdv', mode: 0o644 },
      ],
    });
    expect(tag).toMatchObject({ version: '1', format: 'json+gzip+base64', rootName: 'demo', fileCount: '2' });
    expect(Number(tag.uncompressedSize)).toBe(json.length);
    expect(Number(tag.bundleSize)).toBe(Buffer.from(tag.content, 'base64').length);
  });

  it('gives the same bytes for the same files, in whatever order, at whatever time, on whatever system', () => {
    const { files } = bundleOf({ a: '1', b: '2', 'c/d': '3' });
    const elsewhere = (bytes: Uint8Array) => {
      const gzipped = Uint8Array.from(gzip(bytes));
      gzipped.set([1, 2, 3, 4], 4);
      gzipped[9] = 10;
      return gzipped;
    };
    const one = packBundle(bundleOf({}, { files }), gzip);
    expect(packBundle(bundleOf({}, { files: [...files].reverse() }), elsewhere)).toEqual(one);
  });

  it('names a file over the limit without its content, and refuses too much in all', () => {
    const large = { path: 'large', content: new Uint8Array(FILE_LIMIT + 1), mode: 0o600 };
    const tag = packBundle(bundleOf({}, { files: [large] }), gzip);
    expect(unpackBundle(tag, gunzip).bundle?.files).toEqual([
      { path: 'large', mode: 0o600, originalSize: FILE_LIMIT + 1 },
    ]);
    const most = Array.from({ length: 11 }, (_, at) => {
      return { path: `f${at}`, content: new Uint8Array(FILE_LIMIT), mode: 0o600 };
    });
    expect(() => packBundle(bundleOf({}, { files: most }), gzip)).toThrow('57671680 bytes');
  });
});

describe('unpackBundle', () => {
  test.each<[string, BundleTag, object]>([
    ['another version', forged(payload(), { version: '2' }), { kind: 'version', got: '2' }],
    ['another version inside', forged({ ...payload(), version: 2 }), { kind: 'version', got: '2' }],
    ['no version', forged(payload(), { version: '' }), { kind: 'version', got: '' }],
    ['another format', forged(payload(), { format: 'tar' }), { kind: 'format', got: 'tar' }],
    ['no base64', forged(payload(), { content: '!!!!' }), { kind: 'base64' }],
    ['nothing', forged(payload(), { content: '' }), { kind: 'base64' }],
    ['a cut', forged(payload(), { content: forged(payload()).content.slice(0, 24) }), { kind: 'gzip' }],
    ['no JSON', forged('{'), { kind: 'json', why: 'it is not JSON' }],
    ['a list', forged('[]'), { kind: 'version', got: 'undefined' }],
    ['null', forged('null'), { kind: 'json', why: 'it is not an object' }],
    ['no files', forged({ ...payload(), files: {} }), { kind: 'json', why: 'files is not a list' }],
    ['a file that is none', forged(payload(null)), { kind: 'json', why: 'file 1: it is not an object' }],
    ['a mode with setuid', forged(payload({ ...entry('a'), mode: 0o4755 })), { kind: 'json' }],
    ['content that is no text', forged(payload({ ...entry('a'), content: 1 })), { kind: 'json' }],
  ])('refuses %s', (_, tag, fault) => {
    const { bundle, faults } = unpackBundle(tag, gunzip);
    expect(bundle).toBeUndefined();
    expect(faults).toEqual([expect.objectContaining(fault)]);
  });

  test.each([
    ['../up', 'it leads out of the folder'],
    ['a/../../up', 'it leads out of the folder'],
    ['/etc/passwd', 'it is absolute'],
    ['C:/windows', 'it names a drive'],
    ['a\\b', 'it contains a backslash'],
    ['a//b', 'it has an empty part'],
    ['./a', 'it has an empty part'],
    ['', 'it is empty'],
    ['a\nb', 'it contains control characters'],
    ['a\0b', 'it contains control characters'],
    ['x/NUL.txt', '"NUL.txt" is a name that Windows reserves'],
    ['x/com1', '"com1" is a name that Windows reserves'],
    ['dot.', '"dot." ends with a dot or a space'],
    ['ab:c', '"ab:c" contains a character that Windows does not allow'],
    ['\ud800', 'it is not valid Unicode'],
    ['x'.repeat(300), 'a part is longer than 255 bytes'],
  ])('refuses the path %j by name, and with it the whole bundle', (path, why) => {
    const { bundle, faults } = unpackBundle(forged(payload(entry('fine'), entry(path))), gunzip);
    expect(bundle).toBeUndefined();
    expect(faults).toEqual([{ kind: 'path', path, why }]);
  });

  test.each([
    [['a', 'a'], 'it occurs twice'],
    [['Read.me', 'read.ME'], 'it collides with "Read.me"'],
    [['\u00e9', 'e\u0301'], 'it collides with "\u00e9"'],
    [['a', 'a/b'], '"a" is a file'],
    [['A/x', 'a/y'], 'its folder collides with "A"'],
  ])('refuses %j together', (paths, why) => {
    expect(pathProblems(paths)).toEqual([{ path: paths[1], why }]);
  });

  it('does not inflate a bomb', () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024)).toString('base64');
    const { faults } = unpackBundle(forged(payload(), { content: bomb }), gunzip);
    expect(faults).toEqual([{ kind: 'too-large' }]);
  });

  it('says where attributes and content disagree, and still returns the files', () => {
    const { bundle, faults } = unpackBundle(forged(payload(entry('a')), { fileCount: '7' }), gunzip);
    expect(bundle?.files).toHaveLength(1);
    expect(faults).toEqual([{ kind: 'attributes', why: 'data-file-count is "7", expected 1' }]);
  });
});

const name = fc.stringMatching(/^[a-z0-9_äλ-]{1,6}$/);
const tree = fc
  .dictionary(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    fc.record({ content: fc.uint8Array({ maxLength: 60 }), mode: fc.nat(0o777) }),
    { maxKeys: 6 },
  )
  .map((entries) => Object.entries(entries).map(([path, file]): BundleFile => ({ path, ...file })))
  .filter((files) => pathProblems(files.map(({ path }) => path)).length === 0);
const markup = fc.constantFrom(
  ...[
    '<!doctype html>',
    '<html>',
    '<head>',
    '</head>',
    '<body>',
    '</body>',
    '</html>',
    '<script>',
    '</script>',
  ],
  ...[
    '<!--',
    '-->',
    '<style>',
    '<textarea>',
    '<title>',
    '<plaintext>',
    '<p a="',
    "'",
    '>',
    '<table>',
    '<select>',
  ],
  ...[
    '<template>',
    '</template>',
    '<svg>',
    '<frameset>',
    '<noscript>',
    '<![CDATA[',
    '<math><mi>',
    '\ufeff',
    '<<',
  ],
  ...[
    '<script id="wb-source-bundle">',
    '<script type=x id=wb-source-bundle>abc</script>',
    "var s = '</body>'",
  ],
);
const html = fc.array(fc.oneof(markup, fc.string({ unit: 'binary' })), { maxLength: 12 });

describe('a bundle in a page', () => {
  it('comes out as it went in, of any tree and in any text', () => {
    const property = fc.property(tree, html, (files, pieces) => {
      const tag = packBundle({ createdAt: CREATED, rootName: 'r"><', files }, gzip);
      const page = embedBundle(pieces.join(''), tag);
      const read = readWorkbook(page);
      expect(read.bundles).toBe(1);
      const { bundle, faults } = unpackBundle(read.bundle!, gunzip);
      expect(faults).toEqual([]);
      const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
      expect(bundle?.files).toEqual(sorted);
      expect(embedBundle(page, tag)).toBe(page);
    });
    fc.assert(property, { numRuns: 150 });
  });

  it('is before the real end of the body', () => {
    const tag = packBundle(bundleOf({ a: '1' }), gzip);
    const page = `<!doctype html><body><script>const s = '</body>'</script><p>x</p></body></html>`;
    const embedded = embedBundle(page, tag);
    expect(embedded.startsWith(page.slice(0, page.lastIndexOf('</body>')))).toBe(true);
    expect(embedded.endsWith('</script>\n</body></html>')).toBe(true);
  });

  it('is found with its attributes in another order and case', () => {
    const { content } = forged(payload(entry('a')));
    const tag = `<SCRIPT data-version='1' DATA-FORMAT=json+gzip+base64 type="application/x-workbook-source" id="wb-source-bundle">\n${content}\n</SCRIPT>`;
    const read = readWorkbook(`<!doctype html><title>t</title><body>${tag}`);
    expect(unpackBundle(read.bundle!, gunzip).bundle?.files).toHaveLength(1);
  });

  it('removes no line of a page that leaves a script open', () => {
    const tag = packBundle(bundleOf({ a: '1' }), gzip);
    const page = embedBundle('\n<script>', tag);
    expect(embedBundle(page, tag)).toBe(page);
    expect(page.endsWith('\n\n<script>')).toBe(true);
  });

  it('is not what a template, a comment or a string shows', () => {
    const tag = '<script id="wb-source-bundle">QQ==</script>';
    const page = `<template>${tag}</template><!-- ${tag} --><div title='${tag}'></div><textarea>${tag}</textarea>`;
    expect(readWorkbook(page).bundles).toBe(0);
  });
});
