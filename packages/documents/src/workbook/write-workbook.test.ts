import { describe, expect, it, test } from 'vitest';
import { readPermissions } from './declared-permissions.ts';
import { parseHtml } from './html-tree.ts';
import { readWorkbook } from './read-workbook.ts';
import { type WorkbookParts, writeWorkbook } from './write-workbook.ts';

const PARTS: WorkbookParts = {
  title: 'A & <b>B</b>',
  lang: 'de',
  kind: 'presentation',
  permissions: ['storage', 'net'],
  reasons: { net: 'rates of "today"' },
  csp: "default-src 'none'",
  head: '<style>p { color: red }</style>',
  body: '<p>hello</p>',
};

describe('writeWorkbook', () => {
  it('writes valid HTML that reads back as it was given', () => {
    const html = writeWorkbook(PARTS);
    expect(parseHtml(html).errors).toEqual([]);
    expect(readWorkbook(html)).toEqual({
      title: 'A & <b>B</b>',
      lang: 'de',
      kind: 'presentation',
      permissions: ['net', 'storage'],
      reasons: { net: 'rates of "today"' },
      declared: true,
      unknown: [],
      env: [],
      bundles: 0,
      isHtml: true,
    });
    expect(writeWorkbook(PARTS)).toBe(html);
  });

  it('puts the encoding and the policy before all else', () => {
    const head = writeWorkbook(PARTS).split('<head>\n')[1]!.split('\n');
    expect(head[0]).toBe('<meta charset="utf-8">');
    expect(head[1]).toContain('http-equiv="Content-Security-Policy"');
  });

  it('says none if nothing is asked for', () => {
    const html = writeWorkbook({ title: 't', kind: 'document', permissions: [], head: '', body: '' });
    expect(html).toContain('<meta name="wb-permissions" content="none">');
    expect(html).not.toContain('reasons');
  });
});

describe('readWorkbook', () => {
  test.each([
    ['', false],
    ['just words', false],
    ['{"json": true}', false],
    ['\u0000\u0001PNG', false],
    ['<p>hi', true],
    ['<!doctype html>', true],
  ])('tells whether %j is HTML', (text, isHtml) => {
    expect(readWorkbook(text)).toMatchObject({ isHtml, declared: false, permissions: [], bundles: 0 });
  });

  test.each([
    ['<wb-workbook kind="presentation"></wb-workbook>', 'presentation'],
    ['<wb-cell>1</wb-cell>', 'notebook'],
    ['<script>1</script>', 'spa'],
    ['<p>x</p>', 'document'],
    ['<meta name=wb-kind content=nonsense><p>x</p>', 'document'],
  ])('knows the kind of %s', (html, kind) => {
    expect(readWorkbook(html).kind).toBe(kind);
  });
});

describe('readPermissions', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
  test.each([
    ['none', [], []],
    ['', [], []],
    ['net,storage', ['net', 'storage'], []],
    [' Storage , NET ', ['net', 'storage'], []],
    ['net,camera,camera', ['net'], ['camera']],
    [encoded({ clipboard: { reason: 'copy' }, net: {} }), ['net', 'clipboard'], []],
    [encoded({ camera: { reason: 'x' }, __proto__: 1 }), [], ['camera']],
    [encoded({}), [], []],
    [encoded(['net']), [], [encoded(['net']).toLowerCase()]],
  ])('reads %j', (content, permissions, unknown) => {
    expect(readPermissions(content)).toMatchObject({ permissions, unknown, contradictory: false });
  });

  it('reads reasons of either encoding, and shortens them', () => {
    const both = { net: { reason: ' why ' }, env: { reason: 'x'.repeat(1000) }, storage: { reason: 7 } };
    const { reasons } = readPermissions(encoded(both));
    expect(reasons).toEqual({ net: 'why', env: 'x'.repeat(300) });
    expect(readPermissions('net', '{"net":"why"}').reasons).toEqual({ net: 'why' });
    expect(readPermissions('net', 'no JSON').reasons).toEqual({});
  });

  it('notes a contradiction', () => {
    expect(readPermissions('none,net')).toMatchObject({ permissions: ['net'], contradictory: true });
  });
});
