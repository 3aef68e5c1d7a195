/** The workbook pages of a server: behind a token, with separate grants for each user. */
import { describeUnless } from '@woof/testkit';
import { expect, it } from 'vitest';
import { runWoof, startWoof, temporaryFolder, until } from '../cli/woof.ts';
import { noBrowser, useBrowser } from './browser.ts';
import { BARE_CLIENT, frameOf, pageOf, runButton } from './opened.ts';

async function startServer() {
  const cwd = temporaryFolder();
  const args = ['server', '--listen', '127.0.0.1:0', '--workbook-domain', 'wb.localhost', '--json'];
  const woof = startWoof(args, { cwd });
  await until('the server listens', () => woof.stdout().includes('\n'));
  const { url, token } = JSON.parse(woof.stdout()) as { url: string; token: string };
  const store = async (html: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
    const stored = await fetch(`${url}/v1/blobs`, { method: 'POST', headers, body: html });
    return ((await stored.json()) as { sha256: string }).sha256;
  };
  const viewer = async (name: string) => {
    const created = await runWoof(['token', 'create', name, '--role', 'viewer', '--json'], {
      cwd,
      env: { WOOF_SERVER: url },
    });
    return (JSON.parse(created.stdout) as { token: string }).token;
  };
  return { url, store, viewer };
}

it('keeps a workbook running that is in use, however many others are opened', async () => {
  const server = await startServer();
  const authorization = `Bearer ${await server.viewer('ada')}`;
  const ask = async (hash: string, call: string, body?: object) => {
    const headers = { authorization, origin: server.url };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    return (await fetch(`${server.url}/workbooks/${hash}/api/${call}`, { headers, ...sent })).json();
  };
  const hash = await server.store(pageOf('<p>in use</p>', 'storage'));
  await ask(hash, 'grant', { permissions: ['storage'] });
  const { ticket } = (await ask(hash, 'run', {})) as { ticket: string };
  const keep = (value: string) => ask(hash, 'persist', { ticket, call: 'persist.set', args: ['k', value] });
  for (let count = 0; count < 60; count++) {
    const other = await server.store(pageOf(`<p>${count}</p>`));
    expect(await ask(other, 'facts')).toMatchObject({ asks: [] });
    expect(await keep(`after ${count}`)).toEqual({});
  }
});

describeUnless(noBrowser)('workbooks of a server', () => {
  const browser = useBrowser();

  it('are shown to callers with a token, each with their own grants and values', async () => {
    const server = await startServer();
    const hash = await server.store(pageOf(`<p>stored</p>${BARE_CLIENT}`, 'storage'));
    const open = async (token: string) => {
      const { page } = await browser.visit(`${server.url}/workbooks/${hash}/`);
      await page.getByLabel('Token for this server').fill(token);
      await page.getByRole('button', { name: 'Continue' }).click();
      return page;
    };
    const ada = await open(await server.viewer('ada'));
    await runButton(ada).click();
    const frame = await frameOf(ada);
    expect(new URL(frame.url()).hostname).toMatch(/^[0-9a-z]{50}\.wb\.localhost$/);
    expect(await frame.evaluate(`ask('persist.set', 'k', 'of Ada')`)).toMatchObject({ ok: true });
    await ada.reload();
    expect(await (await frameOf(ada)).evaluate(`ask('persist.get', 'k')`)).toMatchObject({ value: 'of Ada' });

    const bob = await open(await server.viewer('bob'));
    await runButton(bob).click();
    expect(await (await frameOf(bob)).evaluate(`ask('persist.keys')`)).toMatchObject({ value: [] });

    const stranger = await open('woof_0123456789_nonsense');
    await stranger.getByLabel('Token for this server').waitFor();
    expect(await stranger.locator('main iframe').count()).toBe(0);
  });

  it('refuse callers without a token, and do not answer under other names', async () => {
    const server = await startServer();
    const hash = await server.store(pageOf('<p>stored</p>'));
    const facts = `${server.url}/workbooks/${hash}/api/facts`;
    expect((await fetch(facts)).status).toBe(401);
    expect((await fetch(facts, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await fetch(`${server.url}/workbooks/${'0'.repeat(64)}/`)).status).toBe(200);
    expect((await fetch(`${server.url}/workbooks/x/`)).status).toBe(404);
    const page = await fetch(`${server.url}/workbooks/${hash}/`);
    expect(page.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('need their own domain', async () => {
    const cwd = temporaryFolder();
    const refused = await runWoof(['server', '--workbook-domain', 'http://wb.example.org'], { cwd });
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('https://') });
  });
});
