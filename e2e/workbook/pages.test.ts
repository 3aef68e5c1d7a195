/** The commands that read pages, on good pages and on harmful ones. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { runWoof, temporaryFolder } from '../cli/woof.ts';

const INDEX =
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>My page</title></head><body><p>x</p></body></html>\n';

interface Tag {
  files?: object[];
  rootName?: string;
  version?: string;
  format?: string;
  content?: string;
}

/** A page around any bundle, as somebody else would make it. */
function forged({
  files = [file('a.txt')],
  rootName = 'demo',
  version = '1',
  format,
  content,
}: Tag = {}): string {
  const payload = { version: 1, createdAt: '2026-01-01T00:00:00.000Z', rootName, files };
  const base64 = content ?? gzipSync(JSON.stringify(payload)).toString('base64');
  const tag = `<script id="wb-source-bundle" type="application/x-workbook-source" data-version="${version}" data-format="${format ?? 'json+gzip+base64'}" data-root-name="${rootName}">${base64}</script>`;
  return INDEX.replace('</body>', `${tag}</body>`);
}

const file = (path: string, mode = 0o644) => ({ path, content: 'aGVsbG8=', mode });

async function woof(cwd: string, ...args: string[]) {
  const ran = await runWoof(args, { cwd });
  return { ...ran, json: () => JSON.parse(ran.stdout) as Record<string, unknown> };
}

async function buildSite(files: Record<string, string> = {}): Promise<string> {
  const cwd = temporaryFolder({});
  mkdirSync(join(cwd, 'site', 'src'), { recursive: true });
  for (const [path, text] of Object.entries({ 'index.html': INDEX, 'src/run.sh': '#!/bin/sh\n', ...files }))
    writeFileSync(join(cwd, 'site', path), text);
  chmodSync(join(cwd, 'site', 'src', 'run.sh'), 0o755);
  const { status, stderr } = await woof(cwd, 'build', 'site', '-o', 'site.html');
  expect([status, stderr]).toEqual([0, '']);
  return cwd;
}

describe('a page that woof built', () => {
  it('is checked, inspected, unpacked and compared', async () => {
    const cwd = await buildSite();
    expect(await woof(cwd, 'check', 'site.html')).toMatchObject({
      status: 0,
      stdout: 'site.html: 0 errors, 0 warnings\n',
    });
    const inspected = await woof(cwd, 'inspect', 'site.html', '--json');
    expect(inspected.json()).toMatchObject({
      title: 'My page',
      kind: 'document',
      declared: true,
      permissions: [],
      bundle: {
        version: '1',
        rootName: 'site',
        files: [{ path: 'index.html' }, { path: 'src/run.sh', size: 10, mode: 0o755 }],
      },
      faults: [],
    });
    expect((await woof(cwd, 'unbundle', 'site.html', 'copy/deep', '--json')).json()).toEqual({
      ok: true,
      folder: 'copy/deep',
      files: 2,
      missing: [],
    });
    expect(readFileSync(join(cwd, 'copy/deep/index.html'), 'utf8')).toBe(INDEX);
    expect(statSync(join(cwd, 'copy/deep/src/run.sh')).mode & 0o777).toBe(0o755);
    expect((await woof(cwd, 'status', 'site.html', 'copy/deep', '--json')).json()).toEqual({
      inSync: true,
      modified: [],
      added: [],
      removed: [],
    });
  });

  it('reports how its sources have changed', async () => {
    const cwd = await buildSite({ 'gone.txt': 'x' });
    // The page itself is not a source, even if it is among them.
    writeFileSync(join(cwd, 'site', 'page.html'), readFileSync(join(cwd, 'site.html')));
    expect((await woof(cwd, 'status', 'site/page.html', 'site')).status).toBe(0);
    rmSync(join(cwd, 'site', 'page.html'));
    rmSync(join(cwd, 'site', 'gone.txt'));
    writeFileSync(join(cwd, 'site', 'new.txt'), '');
    chmodSync(join(cwd, 'site', 'src', 'run.sh'), 0o644);
    const drift = await woof(cwd, 'status', 'site.html', '--json');
    expect(drift.status).toBe(1);
    expect(drift.json()).toEqual({
      inSync: false,
      modified: ['src/run.sh'],
      added: ['new.txt'],
      removed: ['gone.txt'],
    });
    const missing = await woof(cwd, 'status', 'site.html', 'elsewhere');
    expect(missing).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('there is no directory elsewhere'),
    });
  });

  it('is unpacked into a folder with files only with --force', async () => {
    const cwd = await buildSite();
    writeFileSync(join(cwd, 'site', 'index.html'), 'changed');
    writeFileSync(join(cwd, 'site', 'other.txt'), 'other');
    const refused = await woof(cwd, 'unbundle', 'site.html');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(join(cwd, 'site', 'index.html'), 'utf8')).toBe('changed');
    expect((await woof(cwd, 'unbundle', 'site.html', '--force')).status).toBe(0);
    expect(readFileSync(join(cwd, 'site', 'index.html'), 'utf8')).toBe(INDEX);
    expect(readFileSync(join(cwd, 'site', 'other.txt'), 'utf8')).toBe('other');
  });

  it('is the same page when it is built again', async () => {
    const cwd = await buildSite();
    const bytes = readFileSync(join(cwd, 'site.html'));
    await woof(cwd, 'build', 'site', '-o', 'site.html');
    expect(readFileSync(join(cwd, 'site.html')).equals(bytes)).toBe(true);
    // Even if it is in its own folder.
    await woof(cwd, 'build', 'site', '-o', 'site/page.html');
    await woof(cwd, 'build', 'site', '-o', 'site/page.html');
    expect(readFileSync(join(cwd, 'site', 'page.html')).equals(bytes)).toBe(true);
  });
});

const WHOLE = forged({ files: Array.from({ length: 50 }, (_, at) => file(`f${at}.txt`)) });
const BOMB = gzipSync(Buffer.alloc(100 * 1024 * 1024)).toString('base64');

describe('a page that cannot be unpacked leaves nothing behind', () => {
  test.each<[string, string | Buffer, string]>([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]), 'workbook/not-html'],
    ['a text', 'just words', 'workbook/not-html'],
    ['nothing', '', 'workbook/not-html'],
    ['a page without sources', INDEX, 'workbook/no-bundle'],
    ['half a page', WHOLE.slice(0, WHOLE.indexOf('</script>') - 40), 'workbook/bundle-damaged'],
    ['a cut inside the tag', WHOLE.slice(0, WHOLE.indexOf('data-version')), 'workbook/no-bundle'],
    ['another version', forged({ version: '2' }), 'workbook/bundle-version'],
    ['another format', forged({ format: 'zip' }), 'workbook/bundle-format'],
    ['a bomb', forged({ content: BOMB }), 'workbook/bundle-too-large'],
    [
      'two bundles',
      forged().replace('</body>', '<script id="wb-source-bundle">QQ==</script></body>'),
      'workbook/duplicate-tag',
    ],
    [
      'a path that leads out',
      forged({ files: [file('ok.txt'), file('../../evil')] }),
      'workbook/bundle-path',
    ],
    ['an absolute path', forged({ files: [file('/tmp/woof-evil')] }), 'workbook/bundle-path'],
    ['a backslash', forged({ files: [file('..\\evil')] }), 'workbook/bundle-path'],
    ['two files for one place', forged({ files: [file('a'), file('A')] }), 'workbook/bundle-path'],
    ['a setuid file', forged({ files: [file('a', 0o4755)] }), 'workbook/bundle-damaged'],
    ['too many elements', `<!doctype html>${'<br>'.repeat(300_000)}`, 'workbook/too-large'],
  ])('%s', async (_, page, code) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'page.html'), page);
    const ran = await woof(cwd, 'unbundle', 'page.html', 'out', '--json');
    expect(ran.status).toBe(2);
    expect(ran.json()).toMatchObject({ ok: false, diagnostics: [{ code, file: 'page.html' }] });
    expect(ran.stderr).toContain(code);
    expect(readdirSync(cwd)).toEqual(['page.html']);
  });

  it('a page of 200 MB, without reading it', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'page.html'), INDEX);
    truncateSync(join(cwd, 'page.html'), 200_000_000);
    for (const verb of ['check', 'inspect', 'unbundle', 'status']) {
      const ran = await woof(cwd, verb, 'page.html');
      expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('the limit is 160') });
    }
    expect(readdirSync(cwd)).toEqual(['page.html']);
  });

  it('an invalid folder name', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'page.html'), forged({ rootName: '../evil' }));
    const ran = await woof(cwd, 'unbundle', 'page.html');
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringContaining('woof unbundle page.html DIR') });
    expect(existsSync(join(cwd, '..', 'evil'))).toBe(false);
    expect((await woof(cwd, 'status', 'page.html')).stderr).toContain('woof status page.html DIR');
    // The same page, with a folder that the person names.
    expect((await woof(cwd, 'unbundle', 'page.html', 'out')).status).toBe(0);
    expect(readFileSync(join(cwd, 'out', 'a.txt'), 'utf8')).toBe('hello');
  });
});

it('a hostile title and reason do not control the terminal', async () => {
  const cwd = temporaryFolder();
  const steering = '&#x1b;]0;owned&#x7;';
  const head = `<title>${steering}</title><meta name="wb-permissions" content="net"><meta name="wb-permission-reasons" content='{"net":"\\u001b[2J"}'>`;
  writeFileSync(join(cwd, 'page.html'), INDEX.replace('<title>My page</title>', head));
  const { status, stdout } = await woof(cwd, 'inspect', 'page.html');
  expect(status).toBe(0);
  expect(stdout).toContain('net (');
  expect(stdout).not.toContain('\u001b');
});

it('a missing page, and a folder in its place', async () => {
  const cwd = temporaryFolder();
  for (const verb of ['check', 'inspect', 'unbundle', 'status']) {
    expect(await woof(cwd, verb, 'no.html')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no such file'),
    });
    expect(await woof(cwd, verb, '.')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('it is a directory'),
    });
  }
});

test('a page that is written into its folder is not its own source, whatever links lead there', async () => {
  const cwd = temporaryFolder({});
  mkdirSync(join(cwd, 'real'));
  writeFileSync(join(cwd, 'real', 'index.html'), INDEX);
  symlinkSync('real', join(cwd, 'link'));
  const build = async (folder: string, out: string) => {
    expect(await woof(cwd, 'build', folder, '-o', out)).toMatchObject({ status: 0 });
    const { bundle } = (await woof(cwd, 'inspect', out, '--json')).json() as {
      bundle: { files: { path: string }[] };
    };
    return bundle.files.map(({ path }) => path);
  };
  expect(await build('link/', 'real/out.html')).toEqual(['index.html']);
  // What a build leaves if it is killed while it writes.
  writeFileSync(join(cwd, 'real', 'out.html.4242.tmp'), 'half of it');
  expect(await build('link/', 'real/out.html')).toEqual(['index.html']);
  expect(await build('real', 'link/out.html')).toEqual(['index.html']);
});

test('woof build of a missing file says what it looked for, and suggests similar names', async () => {
  const cwd = temporaryFolder({ 'analysis.woofnb': '' });
  const ran = await woof(cwd, 'build', 'analisis.woofnb', '-o', 'out.html');
  expect(ran).toMatchObject({ status: 2, stdout: '' });
  expect(ran.stderr).toBe(
    'error: there is nothing to build: "analisis.woofnb" is not a notebook, a folder or a run\n' +
      '  fix: did you mean analysis.woofnb?\n',
  );
});
