/** A workbook that may use the internet: only https. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../cli/woof.ts';
import { noBrowser, servePages, useBrowser, writePage } from './browser.ts';
import { frameOf, newPlace, openFile, pageOf, runButton } from './opened.ts';

/** A service with a self-signed certificate. */
async function secureService() {
  const folder = temporaryFolder();
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
  const made = ['-newkey', 'rsa:2048', '-keyout', key, '-out', cert, '-subj', '/CN=service.localhost'];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '2', ...made], { stdio: 'ignore' });
  const hits: string[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ url }, response) => {
    hits.push(url!);
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' })
      .end('1');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://service.localhost:${(server.address() as AddressInfo).port}`, hits };
}

async function datagramService() {
  let count = 0;
  const socket = createSocket('udp4', () => {
    count += 1;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return { port: socket.address().port, count: () => count };
}

const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? undefined : 'no openssl here';

describeUnless(noBrowser ?? noOpenssl)('a workbook with net', () => {
  const browser = useBrowser();

  it('exchanges data over https, but cannot use plain http, load scripts or leave its frame', async () => {
    const service = await secureService();
    const plain = await servePages({ '/fetch': 'x' });
    onTestFinished(() => plain.close());
    const place = newPlace({ 'a.html': pageOf('<p>x</p>', 'net') });
    const profile = await browser.newProfile({ ignoreHTTPSErrors: true });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url, profile);
    await runButton(page).click();
    const frame = await frameOf(page);
    const tries = (code: string) =>
      frame.evaluate(`(async () => { ${code} })().then(() => 'ok', () => 'refused')`);
    expect(await tries(`await fetch('${service.url}/fetch')`)).toBe('ok');
    expect(
      await tries(`await new Promise((yes, no) => {
      Object.assign(new Image(), { onload: yes, onerror: yes, src: '${service.url}/image' });
    })`),
    ).toBe('ok');
    expect(service.hits).toEqual(['/fetch', '/image']);
    expect(await tries(`await fetch('${plain.origin}/fetch')`)).toBe('refused');
    expect(await tries(`await import('${service.url}/script')`)).toBe('refused');
    await frame.evaluate(`void setTimeout(() => { location.href = '${service.url}/left'; }, 0)`);
    // The control: when the same address has answered another page, the frame has had enough time.
    const bare = await profile.newPage();
    await bare.goto(`${service.url}/control`);
    const asked = service.hits.filter((path) => path !== '/favicon.ico');
    expect(asked).toEqual(['/fetch', '/image', '/control']);
    expect(plain.hits).toEqual([]);
  });

  it('has no WebRTC', async () => {
    const [boxed, control] = [await datagramService(), await datagramService()];
    const place = newPlace({ 'a.html': pageOf('<p>x</p>', 'net') });
    const { page } = await browser.visit((await openFile(place, 'a.html')).url);
    await runButton(page).click();
    const frame = await frameOf(page);
    expect(await frame.evaluate('typeof RTCPeerConnection')).toBe('undefined');
    const stun = (port: number) => `(async () => {
      const p = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] });
      p.createDataChannel('x');
      await p.setLocalDescription(await p.createOffer());
    })()`;
    const nested = (port: number) => `void (() => {
      const f = document.createElement('iframe');
      f.srcdoc = '<script>' + ${JSON.stringify(stun(port))} + '</' + 'script>';
      document.body.append(f);
    })()`;
    await frame.evaluate(nested(boxed.port));
    const { page: bare } = await browser.visit(writePage('<p>x</p>'));
    await bare.evaluate(nested(control.port));
    await until('the control arrives', () => control.count() > 0);
    expect(boxed.count()).toBe(0);
  });
});
