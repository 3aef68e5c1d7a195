/**
 * Texts that are made to take long. No test here may depend on a clock, so the sizes are such that quadratic time would
 * never end.
 */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkWorkbook } from './check-workbook.ts';
import { codeUses, importsOf } from './code-uses.ts';
import { cssReferences } from './css-references.ts';
import { candidatesOf } from './element-references.ts';
import { findSecrets } from './find-secrets.ts';
import { parseHtml } from './html-tree.ts';
import { inlineScript } from './inline-text.ts';
import { readWorkbook } from './read-workbook.ts';
import { unpackBundle } from './source-bundle.ts';

const gunzip = (bytes: Uint8Array, limit: number): Uint8Array =>
  gunzipSync(bytes, { maxOutputLength: limit });
const COUNT = 60_000;

test.each([
  ['commas', ','.repeat(COUNT), 0],
  ['words', 'a '.repeat(COUNT), 1],
  ['pairs', 'a 1x,'.repeat(COUNT / 4), COUNT / 4],
])('a srcset of %s', (_, srcset, count) => {
  expect(candidatesOf(srcset)).toHaveLength(count);
});

test.each([
  'url(',
  'url("',
  '@import ',
  '@import "',
  'image-set(',
  '/*',
  '"\\',
  "url('a'",
  '(',
  '@import url(',
])('a style of %j', (piece) => {
  expect(cssReferences(piece.repeat(COUNT)).length).toBeLessThanOrEqual(COUNT);
});

test.each([
  'import ',
  '=/[ ',
  '`${',
  'export *',
  'import{',
  'fetch ',
  'navigator . ',
  '"\\',
  '/*',
  '=/',
  '<!--',
  '</script',
])('a script of %j', (piece) => {
  const code = piece.repeat(COUNT);
  expect(importsOf(code)).toEqual([]);
  expect(codeUses(code)).toEqual([]);
  expect(inlineScript(code).slice('<script>'.length, -'</script>'.length)).not.toContain('</script');
});

test.each([
  '<b><p>',
  '<table><a>',
  '<a>',
  '<div>',
  '<p>',
  '<script>',
  '<!--',
  '<svg>',
  '<template>',
  '<b id=x>',
  '</p>',
  '<x ',
  '&amp',
])('a page of %s', (piece) => {
  const diagnostics = checkWorkbook(piece.repeat(5000), gunzip);
  expect(diagnostics.length).toBeGreaterThan(0);
});

/** More than the regular expression engine can handle in one match. */
const LONG = 17 * 1024 * 1024;

test.each([
  ['an address in quotes', (run: string) => `a { src: url("data:x,${run}") }`, 1],
  ['an address without quotes', (run: string) => `a { src: url(data:x,${run}) }`, 1],
  ['a text', (run: string) => `a { content: "${run}" } b { src: url(x) }`, 1],
  ['an open text', (run: string) => `a { content: "${run}`, 0],
  ['a comment', (run: string) => `/* ${run} */ a { src: url(x) }`, 1],
  ['a namespace', (run: string) => `@namespace ${run}`, 0],
  ['blanks', (run: string) => `@import${' '.repeat(run.length)}"x"`, 1],
])('a style with endless %s', (_, style, count) => {
  expect(cssReferences(style('A'.repeat(LONG)))).toHaveLength(count);
});

test('endless names and blanks', () => {
  const blanks = ' '.repeat(LONG);
  expect(candidatesOf(`data:x,${'A'.repeat(LONG)} 2x, b`)).toHaveLength(2);
  expect([...codeUses(`fetch${blanks}()`), ...importsOf(`import${blanks}"x"`)]).toEqual([]);
  expect(readWorkbook(`<title>x${blanks}y</title>`).title).toBe('x');
  expect(findSecrets('x', Buffer.from(`-----BEGIN PRIVATE ${'KEY'}-----${blanks}`))).toEqual([]);
});

test('a page of more text than is read, and one of as much base64', () => {
  const half = 26 * 1024 * 1024;
  expect(() => parseHtml('a '.repeat(half))).toThrow('more than 48 MiB of text');
  const tag = `<script id="wb-source-bundle" data-version="1" data-format="json+gzip+base64">${'ab'.repeat(half)}</script>`;
  const { bundle, bundles } = readWorkbook(tag);
  expect(bundles).toBe(1);
  expect(unpackBundle(bundle!, gunzip).faults).toEqual([{ kind: 'gzip' }]);
});
