/**
 * A workbook that was built here and is opened without any network, in a profile that never saw it: from a file, and in
 * the host. Browser and host run in their own network namespace, which has only its own loopback.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeUnless } from '@woof/testkit';
import { chromium, type Frame, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { root, runWoof, temporaryFolder, until } from '../cli/woof.ts';
import { noBrowser, servePages } from './browser.ts';

const cannotUnshare =
  spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0
    ? undefined
    : 'this user cannot make a network namespace (unshare --net, ip)';

const NOTEBOOK = `%WOOFNB 1.0
name: offline
language: javascript

\`\`\`cell id=answer type=code
console.log('the answer is', 6 * 7);
\`\`\`
`;

/** Starts host and browser in one namespace. The browser replaces the process, as its launcher expects. */
const LAUNCH = `#!/bin/sh
exec unshare --net sh -c '
  ip link set lo up
  "$WOOF_NODE" "$WOOF_BIN" open "$WOOF_PAGE" --no-browser --json > "$WOOF_OUT/address" &
  echo $! > "$WOOF_OUT/pid"
  exec chromium "$@"
' sh "$@"
`;

async function openOffline(html: string) {
  const folder = temporaryFolder({ launch: LAUNCH });
  // As it would arrive by mail: only the file.
  const page = join(folder, 'mailed.html');
  copyFileSync(html, page);
  const executablePath = join(folder, 'launch');
  chmodSync(executablePath, 0o755);
  mkdirSync(join(folder, 'out'));
  const own = {
    WOOF_NODE: process.execPath,
    WOOF_BIN: join(root, 'bin', 'woof'),
    WOOF_PAGE: page,
    WOOF_OUT: join(folder, 'out'),
    WOOF_DATA: join(folder, 'data'),
    XDG_STATE_HOME: join(folder, 'state'),
  };
  const env = { ...(process.env as Record<string, string>), ...own };
  const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox'] });
  onTestFinished(async () => {
    // In this order: closing the browser ends its process group, to which the host belongs.
    process.kill(Number(readFileSync(join(folder, 'out', 'pid'), 'utf8')));
    await browser.close();
  });
  const told = () => {
    const file = join(folder, 'out', 'address');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  await until('the host tells its address', () => told().includes('\n'));
  const { url } = JSON.parse(told()) as { url: string };
  return { browser, file: pathToFileURL(page).href, url };
}

async function runsItsCell(where: Page | Frame): Promise<void> {
  await where.getByRole('button', { name: 'Run all' }).click();
  await where.getByText('the answer is 42').waitFor();
}

describeUnless(noBrowser ?? cannotUnshare)('without any network', () => {
  it('a built notebook opens and runs its cells, from a file and in the host', async () => {
    const cwd = temporaryFolder({ 'offline.woofnb': NOTEBOOK });
    const built = await runWoof(['build', 'offline.woofnb', '-o', 'offline.html', '--live', 'js'], { cwd });
    expect(built).toMatchObject({ status: 0 });
    const outside = await servePages({ '/': 'outside' });
    onTestFinished(() => outside.close());
    const { browser, file, url } = await openOffline(join(cwd, 'offline.html'));
    const newPage = async () => {
      const page = await browser.newPage();
      page.setDefaultTimeout(0);
      return page;
    };
    const away = (await newPage()).goto(`http://127.0.0.1:${outside.port}/`);
    await expect(away).rejects.toThrow('ERR_CONNECTION_REFUSED');
    expect(outside.hits).toEqual([]);
    const plain = await newPage();
    await plain.goto(file);
    await runsItsCell(plain);
    const hosted = await newPage();
    await hosted.goto(url);
    const frame = await (await hosted.waitForSelector('main iframe')).contentFrame();
    await runsItsCell(frame!);
    // The control: the same address answers callers in the same network.
    expect(await (await fetch(`http://127.0.0.1:${outside.port}/`)).text()).toBe('outside');
  });
});
