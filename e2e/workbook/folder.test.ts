// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs as text
/** A folder, built by the real program and opened by a real browser, behaves as the folder did at a server. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { expect, it } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';
import { noBrowser, requestsElsewhere, type Served, servePages, useBrowser, writePage } from './browser.ts';

/** A busy machine may be slow. */
const NO_LIMIT = { timeout: 500_000 };
const DOT =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="5"><rect width="9" height="5" fill="red"/></svg>';
const NASTY = '</script> <!-- <script> $$ $& </head> </body> ${x}';

const SITE: Record<string, string> = {
  'index.html': `<!doctype html>
<html lang="en">
<head>
<title>Site</title>
<meta charset="utf-8">
<link rel="preload" href="css/site.css" as="style">
<link rel="stylesheet" href="css/site.css">
<script type="importmap">{"imports": {"maths": "./lib/maths.js"}}</script>
<script src="first.js"></script>
<script defer src="late.js"></script>
</head>
<body>
<h1>Site</h1>
<script>said.push('written ' + document.querySelectorAll('.below').length);</script>
<img id="plain" alt="" src="img/dot.svg">
<img id="set" alt="" srcset="/img/dot.svg 1x">
<script type="module">
import { twice, calls } from 'maths';
said.push('written module ' + twice(2) + ' ' + calls());
</script>
<script type="module" src="main.js"></script>
<p class="below" style="background-image: url(img/dot.svg)">x</p>
</body>
</html>
`,
  'css/site.css': `@import "base.css" screen;\n@font-face { font-family: none; src: url(../font.woff2) }\nh1 { color: rgb(1, 2, 3) }`,
  'css/base.css': `h1 { color: red; background: url("../img/dot.svg") }\nh1::after { content: "</style> $$" }`,
  'font.woff2': 'no font',
  'img/dot.svg': DOT,
  'first.js': `window.said = [${JSON.stringify(NASTY)}, 'first ' + document.querySelectorAll('.below').length];`,
  'late.js': `said.push('late ' + document.querySelectorAll('.below').length);`,
  'main.js': `import { twice } from './lib/maths.js';
import rows from './data/rows.json';
import './main.css';
const answer = await fetch('data/rows.json');
const text = await (await fetch(new URL('./data/note.txt', import.meta.url))).text();
const lazy = await import('./lib/lazy.js');
said.push('module ' + twice(rows.length) + ' ' + (await answer.json()).length + ' ' + answer.headers.get('content-type'));
said.push(text.trim(), lazy.name, \`${'</scr'}\${''}ipt>\`);
document.body.dataset.done = 'yes';`,
  'main.css': `.below { color: rgb(4, 5, 6) }`,
  'lib/maths.js': `let count = 0;\nexport const twice = (n) => { count++; return n * 2; };\nexport const calls = () => count;`,
  'lib/lazy.js': `export const name = 'lazy ${NASTY.replaceAll('`', '').replace('${x}', '')}';`,
  'data/rows.json': '[1, 2, 3]',
  'data/note.txt': `note ${NASTY}\n`,
};

function writeSite(files = SITE): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'site', path)), { recursive: true });
    writeFileSync(join(folder, 'site', path), text);
  }
  return folder;
}

/** What a page shows of itself, to compare two of them. */
const LOOK = () => {
  const of = (selector: string) => getComputedStyle(document.querySelector(selector)!);
  const image = (id: string) => (document.getElementById(id) as HTMLImageElement).naturalWidth;
  return {
    said: (window as unknown as { said: string[] }).said,
    heading: of('h1').color,
    paragraph: of('.below').color,
    images: [image('plain'), image('set')],
    after: getComputedStyle(document.querySelector('h1')!, '::after').content,
  };
};

describeUnless(noBrowser)('a folder as one page', () => {
  const browser = useBrowser();

  it('does from file:// what the folder does at a server', async () => {
    const folder = writeSite();
    const { status, stderr } = await runWoof(['build', 'site', '-o', 'site.html'], { cwd: folder });
    expect([status, stderr]).toEqual([0, '']);
    const types: Record<string, string> = {
      css: 'text/css',
      js: 'text/javascript',
      svg: 'image/svg+xml',
      json: 'application/json',
    };
    const served = Object.entries(SITE).map(([path, body]): [string, Served] => {
      const type = types[path.split('.').at(-1)!] ?? 'text/html; charset=utf-8';
      return [`/${path}`, { body, type }];
    });
    // Browsers do not import styles and JSON by themselves; there, the author's server would help.
    const helped = Object.fromEntries(served);
    helped['/main.js'] = {
      body: SITE['main.js']!.replace("import './main.css';", '').replace(
        /import rows.*;/,
        'const rows = [1, 2, 3];',
      ),
      type: 'text/javascript',
    };
    helped['/index.html'] = {
      body: SITE['index.html']!.replace('</head>', '<link rel=stylesheet href=main.css></head>'),
    };
    const server = await servePages(helped);
    try {
      const original = await browser.visit(`${server.origin}/index.html`);
      await original.page.waitForSelector('body[data-done=yes]', NO_LIMIT);
      const page = await browser.visit(writePage(readFileSync(join(folder, 'site.html'))));
      await page.page.waitForSelector('body[data-done=yes]', NO_LIMIT);
      const look = await page.page.evaluate(LOOK);
      expect(look).toEqual(await original.page.evaluate(LOOK));
      expect(look.said).toEqual([
        NASTY,
        'first 0',
        'written 0',
        'late 1',
        'written module 4 1',
        'module 6 3 application/json',
        `note ${NASTY}`,
        expect.stringContaining('lazy </script>'),
        '</script>',
      ]);
      expect(look.images).toEqual([9, 9]);
      expect([requestsElsewhere(page), page.errors]).toEqual([[], []]);
    } finally {
      await server.close();
    }
  });

  it('sends nothing out without the permission, but can with it', async () => {
    const send = `const seen = (why) => { document.body.dataset.done = why; };
const call = window['fe' + 'tch'];
call(location.hash.slice(1)).then(() => seen('sent'), () => seen('kept'));`;
    const server = await servePages({
      '/x': { body: 'hello', headers: { 'access-control-allow-origin': '*' } },
    });
    const built = async (meta: string) => {
      const index = `<!doctype html><html lang="en"><title>t</title>${meta}<body><script>${send}</script></body></html>`;
      const folder = writeSite({ 'index.html': index });
      const ran = await runWoof(['build', 'site', '-o', 'site.html'], { cwd: folder });
      expect(ran.status).toBe(0);
      const { page } = await browser.visit(
        `${writePage(readFileSync(join(folder, 'site.html')))}#${server.origin}/x`,
      );
      await page.waitForSelector('body[data-done]', { ...NO_LIMIT, state: 'attached' });
      return page.evaluate(() => document.body.dataset.done);
    };
    try {
      expect(await built('')).toBe('kept');
      expect(server.hits).toEqual([]);
      expect(await built('<meta name="wb-permissions" content="net">')).toBe('sent');
      expect(server.hits).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

it('a folder that cannot be one page is refused with the whole list, and nothing is written', async () => {
  const folder = writeSite({
    ...SITE,
    'index.html':
      '<!doctype html><title>t</title>\n<script src="https://cdn.example/x.js"></script>\n<img src="no.png">',
    id_rsa: 'x',
  });
  const ran = await runWoof(['build', 'site', '-o', 'site.html', '--json'], { cwd: folder });
  expect(ran.status).toBe(2);
  const { ok, diagnostics } = JSON.parse(ran.stdout) as {
    ok: boolean;
    diagnostics: { file: string; line: number; code: string }[];
  };
  expect(ok).toBe(false);
  expect(diagnostics.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
    'id_rsa:1 workbook/secret',
    'index.html:2 workbook/remote-reference',
    'index.html:3 workbook/missing-file',
  ]);
  expect(ran.stderr).toContain('--allow-secret id_rsa');
  expect(readdirSync(folder)).toEqual(['site']);
});
