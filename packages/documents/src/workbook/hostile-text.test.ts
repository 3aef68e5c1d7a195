/** Texts that are made to take long. None of these may depend on a clock, so sizes are such that a square would not end. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkWorkbook } from './check-workbook.ts';
import { codeUses, importsOf } from './code-uses.ts';
import { cssReferences } from './css-references.ts';
import { candidatesOf } from './element-references.ts';
import { inlineScript } from './inline-text.ts';

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
