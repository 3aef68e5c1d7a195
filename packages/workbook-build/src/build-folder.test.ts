// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs as text
import { cpSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkWorkbook, readWorkbook, unpackBundle } from '@woof/documents/workbook';
import { describe, expect, it, test } from 'vitest';
import { buildFolder, type FolderOptions } from './build-folder.ts';
import { type Tree, temporaryTree } from './fixtures/temporary-tree.ts';
import { gunzip } from './node-gzip.ts';
import { Refused } from './refused.ts';

const page = (inside: string, head = '') =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>t</title>${head}</head>\n<body>\n${inside}\n</body></html>\n`;

async function built(files: Tree, options?: FolderOptions): Promise<string> {
  const { html } = await buildFolder(temporaryTree(files), options);
  const errors = checkWorkbook(html, gunzip).filter(({ severity }) => severity === 'error');
  expect(errors).toEqual([]);
  return html;
}

/** `file:line code` of all that is refused. */
async function refusals(files: Tree | string, options?: FolderOptions): Promise<string[]> {
  const folder = typeof files === 'string' ? files : temporaryTree(files);
  const error: unknown = await buildFolder(folder, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Refused);
  return (error as Refused).problems.map(({ file, line, code }) => `${file}:${line} ${code}`);
}

const MODULE = '<script type="module" src="main.js"></script>';

describe('buildFolder puts in', () => {
  test.each<[string, Tree, string | RegExp]>([
    [
      'a style sheet',
      { 'index.html': page('', '<link rel=stylesheet media=print href=a.css>'), 'a.css': 'p{}' },
      '<style media="print">p{}</style>',
    ],
    [
      'imports of a sheet',
      {
        'index.html': page('', '<link rel=stylesheet href=css/a.css>'),
        'css/a.css': '@charset "utf-8";@import "b.css" layer(x) supports(display: grid) print;q{}',
        'css/b.css': 'p{background:url(../i.png)}',
        'i.png': 'PNG',
      },
      /@layer x \{\n@supports \(display: grid\) \{\n@media print \{\np\{background:url\("data:image\/png;base64,UE5H"\)\}/,
    ],
    [
      'fonts with a query',
      { 'index.html': page('<style>@font-face{src:url("f.woff2?v=1#x")}</style>'), 'f.woff2': 'F' },
      'url("data:font/woff2;base64,Rg==#x")',
    ],
    [
      'a set of images',
      { 'index.html': page('<img alt="" src="/i.png" srcset="i.png 1x, i.png 2x">'), 'i.png': 'PNG' },
      'srcset="data:image/png;base64,UE5H 1x, data:image/png;base64,UE5H 2x"',
    ],
    [
      'an image of SVG',
      { 'index.html': page('<svg><image xlink:href="i.png"/></svg>'), 'i.png': 'PNG' },
      'xlink:href="data:image/png;base64,UE5H"',
    ],
    [
      'what a template shows',
      { 'index.html': page('<template><img alt="" src="i.png"></template>'), 'i.png': 'PNG' },
      '<img alt="" src="data:image/png;base64,UE5H">',
    ],
    [
      'a name in percent signs',
      { 'index.html': page('<img alt="" src="a%20b.png">'), 'a b.png': 'PNG' },
      'data:image/png;base64,UE5H',
    ],
    [
      'a style attribute',
      { 'index.html': page(`<p style="background: url('i.png')">x</p>`), 'i.png': 'PNG' },
      'style="background: url(&quot;data:image/png;base64,UE5H&quot;)"',
    ],
    [
      'a script',
      { 'index.html': page('<script src="a.js"></script>'), 'a.js': 'var s = "</script>"' },
      '<script>var s = "\\x3C/script>"</script>',
    ],
    [
      'a late script at the end',
      { 'index.html': page('<p>x</p>', '<script defer src="a.js"></script>'), 'a.js': 'late()' },
      /<p>x<\/p>\n<script>late\(\)<\/script>\n<script id="wb-source-bundle"/,
    ],
    [
      'a module and what it imports',
      {
        'index.html': page(MODULE),
        'main.js': 'import { a } from "./b.js"; console.log(a)',
        'b.js': 'export const a = 42',
      },
      /<script type="module">console\.log\(42\);?<\/script>/,
    ],
    [
      'TypeScript',
      {
        'index.html': page('<script type="module" src="/main.ts"></script>'),
        'main.ts': 'const n: number = 7; console.log(n as number)',
      },
      /console\.log\(7\)/,
    ],
    [
      'a package',
      {
        'index.html': page(MODULE),
        'main.js': 'import x from "pack"; console.log(x)',
        'node_modules/pack/package.json': '{"name":"pack","main":"i.js"}',
        'node_modules/pack/i.js': 'export default 5',
      },
      /console\.log\(5\)/,
    ],
    [
      'a name of an import map',
      {
        'index.html': page(
          MODULE,
          '<script type="importmap">{"imports":{"x":"./v/x.js","y/":"/v/"}}</script>',
        ),
        'main.js': 'import x from "x"; import y from "y/y.js"; console.log(x + y)',
        'v/x.js': 'export default 1',
        'v/y.js': 'export default 2',
      },
      /console\.log\(3\)/,
    ],
    [
      'JSON, text, pictures and styles that modules import',
      {
        'index.html': page(MODULE),
        'main.js':
          'import j from "./j.json"; import t from "./t.txt"; import p from "./p.png"; import "./s.css"; console.log(j.a, t, p)',
        'j.json': '{"a":1}',
        't.txt': 'hi',
        'p.png': 'PNG',
        's.css': 'p{background:url(p.png)}',
      },
      /<style>p\{background:url\("data:image\/png;base64,UE5H"\)\}<\/style>[\s\S]*`hi`,`data:image\/png[,;]/,
    ],
    [
      'a dynamic import of a literal',
      {
        'index.html': page(MODULE),
        'main.js': 'const m = await import("./b.js"); console.log(m.a)',
        'b.js': 'export const a = 42',
      },
      /42/,
    ],
    [
      'an address of a module',
      {
        'index.html': page(MODULE),
        'main.js': 'img.src = new URL("./p.png", import.meta.url).href',
        'p.png': 'PNG',
      },
      'new URL(`data:image/png;base64,UE5H`)',
    ],
    [
      'a file that a module fetches',
      {
        'index.html': page('<script type="module" src="js/main.js"></script>'),
        'js/main.js': 'await fetch("data.json"); await fetch(new URL("d.txt", import.meta.url))',
        'data.json': '{}',
        'js/d.txt': 'x',
      },
      /"data\.json":\["application\/json","e30="\],"js\/d\.txt"/,
    ],
    [
      'a file that a script fetches',
      { 'index.html': page('<script>window.fetch("data.json")</script>'), 'data.json': '{}' },
      '<script>__wbFile("data.json")</script>',
    ],
  ])('%s', async (_, files, expected) => {
    const html = await built(files);
    if (typeof expected === 'string') expect(html).toContain(expected);
    else expect(html).toMatch(expected);
  });

  test.each<[string, Tree, string | RegExp]>([
    [
      'a file that a handler fetches',
      {
        'index.html': page(`<button type="button" onclick="return fetch('d.json')">x</button>`),
        'd.json': '{}',
      },
      'onclick="return __wbFile(&quot;d.json&quot;)"',
    ],
    [
      'attributes that scripts read of themselves',
      { 'index.html': page('<script src="a.js" data-key="k" id="s" crossorigin></script>'), 'a.js': '1' },
      '<script data-key="k" id="s">1</script>',
    ],
    [
      'no scripts for browsers without modules',
      { 'index.html': page('<script nomodule src="old.js"></script><p>x</p>'), 'old.js': 'old()' },
      /<body>\n<p>x<\/p>/,
    ],
    [
      'no sheets that are not in use',
      { 'index.html': page('', '<link rel="alternate stylesheet" title="b" href="b.css">'), 'b.css': 'p{}' },
      '<title>t</title></head>',
    ],
  ])('%s', async (_, files, expected) => {
    const html = await built(files);
    if (typeof expected === 'string') expect(html).toContain(expected);
    else expect(html).toMatch(expected);
  });

  it('nothing if there is nothing to do', async () => {
    const index = page('<p>$$ $& "</body>"</p>\r\n<!-- </body> -->');
    // Its text contains a tag that is not its own, which is not valid, but stays.
    const { html } = await buildFolder(temporaryTree({ 'index.html': index }));
    const [head, rest] = index.split('<meta charset="utf-8">');
    expect(html.startsWith(`${head}<meta charset="utf-8">\n<meta http-equiv`)).toBe(true);
    expect(html.replace(/<script id="wb-source-bundle"[^<]*<\/script>\n/, '').endsWith(rest!)).toBe(true);
  });

  it('what hosts ask for', async () => {
    const plain = await built({ 'index.html': page('<p>x</p>') });
    expect(readWorkbook(plain)).toMatchObject({ kind: 'document', declared: true, permissions: [] });
    const asks = '<meta name="wb-permissions" content="net"><meta name="wb-kind" content="presentation">';
    const asking = await built({
      'index.html': page('<script>fetch("https://a.example/" + x)</script>', asks),
    });
    expect(readWorkbook(asking)).toMatchObject({ kind: 'presentation', permissions: ['net'] });
    expect(plain).toContain('connect-src data: blob:');
    expect(asking).not.toContain('Content-Security-Policy');
  });

  it('the folder itself, without the page that is written', async () => {
    const html = await built(
      { 'index.html': page(''), 'out.html': 'old', 'src/a.md': 'x' },
      { except: (path) => path === 'out.html' },
    );
    const { bundle } = unpackBundle(readWorkbook(html).bundle!, gunzip);
    expect(bundle).toMatchObject({ rootName: 'site' });
    expect(bundle?.files.map(({ path }) => path)).toEqual(['index.html', 'src/a.md']);
  });

  it('only the name of a file that is too large, and a warning about it', async () => {
    const folder = temporaryTree({ 'index.html': page(''), 'large.bin': '' });
    truncateSync(join(folder, 'large.bin'), 5 * 1024 * 1024 + 1);
    const { warnings } = await buildFolder(folder);
    expect(warnings).toMatchObject([{ file: 'large.bin', code: 'workbook/bundle-incomplete' }]);
  });
});

describe('buildFolder refuses', () => {
  test.each<[string, Tree, string[]]>([
    ['a folder without a page', { 'a.html': '' }, ['workbook/no-index']],
    [
      'scripts of others',
      { 'index.html': page('<script src="https://cdn.example/x.js"></script>') },
      ['index.html:4 workbook/remote-reference'],
    ],
    [
      'scripts of others by a short address',
      { 'index.html': page('<script src="//cdn.example/x.js"></script>') },
      ['index.html:4 workbook/remote-reference'],
    ],
    [
      'missing files',
      { 'index.html': page('<img alt="" src="no.png">\n<img alt="" src=".">') },
      ['index.html:4 workbook/missing-file', 'index.html:5 workbook/missing-file'],
    ],
    [
      'files above',
      { 'index.html': page('<img alt="" src="../../etc/passwd">') },
      ['index.html:4 workbook/outside-folder'],
    ],
    [
      'fonts of others',
      {
        'index.html': page('', '<link rel=stylesheet href=a.css>'),
        'a.css': '\n@import "https://f.example/css";\np{background:url(no.png)}',
      },
      ['a.css:2 workbook/remote-reference', 'a.css:3 workbook/missing-file'],
    ],
    [
      'a sheet that imports itself',
      {
        'index.html': page('', '<link rel=stylesheet href=a.css>'),
        'a.css': '@import "b.css";',
        'b.css': '@import "a.css";',
      },
      ['b.css:1 workbook/cannot-inline'],
    ],
    [
      'imports of others and missing ones',
      {
        'index.html': page(MODULE),
        'main.js':
          'import "https://x.example/a.js";\nimport "./no.js";\nimport "no-package";\nimport "../above.js"',
      },
      [
        'main.js:1 workbook/remote-reference',
        'main.js:2 workbook/missing-file',
        'main.js:3 workbook/missing-file',
        'main.js:4 workbook/missing-file',
      ],
    ],
    [
      'an import map to others',
      {
        'index.html': page(
          MODULE,
          '<script type=importmap>{"imports":{"x":"https://x.example/x.js"}}</script>',
        ),
        'main.js': '\nimport "x"',
      },
      ['main.js:2 workbook/remote-reference'],
    ],
    [
      'names that are made at run time',
      {
        'index.html': page(MODULE),
        'main.js': 'const n = "a";\nawait import("./" + n);\nfetch(n);\nfetch(`d/${n}.json`)',
      },
      [
        'main.js:2 workbook/dynamic-reference',
        'main.js:3 workbook/dynamic-reference',
        'main.js:4 workbook/dynamic-reference',
      ],
    ],
    [
      'services without the permission',
      {
        'index.html': page(
          '<script>\nfetch("https://a.example/x");\nfetch(`https://a.example/${x}`)\nnew WebSocket(u)\nlocalStorage.a = 1</script>',
        ),
      },
      [
        'index.html:5 workbook/undeclared-permission',
        'index.html:6 workbook/undeclared-permission',
        'index.html:7 workbook/undeclared-permission',
        'index.html:8 workbook/undeclared-permission',
      ],
    ],
    [
      'workers, requests and service workers',
      {
        'index.html': page(
          '<script>\nnew Worker("w.js");\nx.open("GET", "d.json");\nnavigator.serviceWorker.register("s.js")</script>',
        ),
        'w.js': '',
        'd.json': '',
      },
      [
        'index.html:5 workbook/cannot-inline',
        'index.html:6 workbook/cannot-inline',
        'index.html:7 workbook/cannot-inline',
      ],
    ],
    [
      'frames, sprites, bases and refreshes',
      {
        'index.html': page(
          '<iframe src="a.html"></iframe>\n<svg><use href="s.svg#a"/></svg>\n<iframe srcdoc="<img src=x.png>"></iframe>',
          '<base href="sub/"><meta http-equiv="refresh" content="1;url=b.html">',
        ),
      },
      [
        'index.html:2 workbook/cannot-inline',
        'index.html:2 workbook/cannot-inline',
        'index.html:4 workbook/cannot-inline',
        'index.html:5 workbook/cannot-inline',
        'index.html:6 workbook/cannot-inline',
      ],
    ],
    [
      'scripts with mistakes',
      {
        'index.html': page('<script src="a.js"></script>\n<script>\n var = 1</script>'),
        'a.js': 'let x = \n ;',
      },
      ['a.js:2 workbook/bad-script', 'index.html:6 workbook/bad-script'],
    ],
    [
      'secrets by name and by content',
      { 'index.html': page(''), '.npmrc': '', 'notes/a.txt': `one\ntoken = "${'kX9'}mQ2vL7pRt8"` },
      ['.npmrc:1 workbook/secret', 'notes/a.txt:2 workbook/secret'],
    ],
    [
      'secrets in what is put in but is no source',
      {
        'index.html': page('<script src="build/a.js"></script>'),
        'build/a.js': `\nconst apiKey = "${'kX9'}mQ2vL7pRt8"`,
      },
      ['build/a.js:2 workbook/secret'],
    ],
    [
      'names that not every system knows',
      { 'index.html': page(''), 'a:b.txt': '', 'Same.txt': '', 'same.txt': '' },
      ['a:b.txt:1 workbook/bad-path', 'same.txt:1 workbook/bad-path'],
    ],
  ])('%s', async (_, files, expected) => {
    const found = await refusals(files);
    if (expected.length === 1 && !expected[0]!.includes(':')) expect(found[0]).toContain(expected[0]);
    else expect(found).toEqual(expected);
  });

  it('links out of the folder, but not those inside', async () => {
    const folder = temporaryTree({
      'index.html': page('<img alt="" src="out.png"><img alt="" src="in.png">'),
      'i.png': 'PNG',
    });
    const outside = join(dirname(folder), 'outside.png');
    writeFileSync(outside, 'PNG');
    symlinkSync(outside, join(folder, 'out.png'));
    symlinkSync('i.png', join(folder, 'in.png'));
    expect(await refusals(folder)).toEqual(['index.html:4 workbook/outside-folder']);
  });

  it('modules above the folder, and links to them', async () => {
    const folder = temporaryTree({
      'index.html': page(MODULE),
      'main.js': 'import "../above.js";\nimport "./link.js"',
    });
    writeFileSync(join(dirname(folder), 'above.js'), 'export {}');
    symlinkSync('../above.js', join(folder, 'link.js'));
    expect(await refusals(folder)).toEqual([
      'main.js:1 workbook/outside-folder',
      'main.js:2 workbook/outside-folder',
    ]);
  });

  it('a page whose policy forbids what it contains', async () => {
    const policy = (content: string) => `<meta http-equiv="Content-Security-Policy" content="${content}">`;
    const refused = {
      'index.html': page('<p>x</p>', `\n${policy("default-src 'self'; style-src 'unsafe-inline'")}`),
    };
    expect(await refusals(refused)).toEqual(Array(3).fill('index.html:3 workbook/cannot-inline'));
    const open =
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:";
    expect(await built({ 'index.html': page('<p>x</p>', policy(open)) })).toContain(
      'connect-src data: blob:',
    );
  });

  it('no file that everybody may read', async () => {
    const files = { 'index.html': page(''), 'demo.pem': 'x' };
    expect(await refusals(files)).toEqual(['demo.pem:1 workbook/secret']);
    expect(await built(files, { includeSecrets: ['demo.pem'] })).toContain('data-file-count="2"');
  });

  it('more than fits in a bundle', async () => {
    const folder = temporaryTree({ 'index.html': page('') });
    for (let at = 0; at < 11; at++) {
      writeFileSync(join(folder, `f${at}`), '');
      truncateSync(join(folder, `f${at}`), 5 * 1024 * 1024);
    }
    expect(await refusals(folder)).toEqual(['site:1 workbook/sources-too-large']);
  });
});

describe('the bytes of a page', () => {
  const FILES = { 'index.html': page(MODULE), 'main.js': 'console.log(1)', 'a/b.txt': 'x' };
  const age = (folder: string) => {
    for (const path of Object.keys(FILES)) utimesSync(join(folder, path), 1_700_000_000, 1_700_000_000);
  };

  it('are the same for the same folder, wherever it is', async () => {
    const one = temporaryTree(FILES);
    age(one);
    const two = join(temporaryTree({}), 'deep', 'site');
    mkdirSync(dirname(two));
    cpSync(one, two, { recursive: true });
    age(two);
    symlinkSync('b.txt', join(two, 'a', 'link'));
    mkdirSync(join(two, 'empty', 'folder'), { recursive: true });
    mkdirSync(join(two, 'node_modules'));
    const [first, second] = [await buildFolder(one), await buildFolder(two)];
    expect(second.html).toBe(first.html);
    expect(unpackBundle(readWorkbook(first.html).bundle!, gunzip).bundle?.createdAt).toBe(
      '2023-11-14T22:13:20.000Z',
    );
  });

  it('follow SOURCE_DATE_EPOCH', async () => {
    const folder = temporaryTree(FILES);
    const before = process.env.SOURCE_DATE_EPOCH;
    process.env.SOURCE_DATE_EPOCH = '86400';
    try {
      const { html } = await buildFolder(folder);
      expect(unpackBundle(readWorkbook(html).bundle!, gunzip).bundle?.createdAt).toBe(
        '1970-01-02T00:00:00.000Z',
      );
    } finally {
      if (before === undefined) delete process.env.SOURCE_DATE_EPOCH;
      else process.env.SOURCE_DATE_EPOCH = before;
    }
  });
});
