/** `woof open` for tests: the real program on a file of its own, with its own data directory and its own person. */
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { startWoof, temporaryFolder, until } from '../cli/woof.ts';

export interface OpenedFile {
  url: string;
  /** Ends the host and waits for its end. */
  stop(): Promise<void>;
}

export interface Place {
  folder: string;
  env: Record<string, string>;
}

/** A folder with these files, and a home for whatever the person keeps. */
export function newPlace(files: Record<string, string>): Place {
  const folder = temporaryFolder(files);
  return { folder, env: { XDG_STATE_HOME: join(folder, 'state') } };
}

export async function openFile(place: Place, file: string, ...args: string[]): Promise<OpenedFile> {
  const { folder: cwd, env } = place;
  const woof = startWoof(['open', file, '--no-browser', '--json', ...args], { cwd, env });
  await until('the host tells its address', () => {
    if (woof.child.exitCode !== null) throw new Error(`woof open ended: ${woof.stderr()}`);
    return woof.stdout().includes('\n');
  });
  const { url } = JSON.parse(woof.stdout()) as { url: string };
  const stop = async () => {
    woof.child.kill('SIGINT');
    await woof.ended;
  };
  return { url, stop };
}

export const runButton = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });

/** The frame of the workbook, once its document is loaded. */
export async function frameOf(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('main iframe');
  const frame = (await element.contentFrame())!;
  await frame.waitForLoadState('load');
  return frame;
}

/** A page of these permissions with this inside. */
export function pageOf(body: string, permissions = 'none', head = ''): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Test page</title>
<meta name="wb-permissions" content="${permissions}">${head}</head>
<body>${body}</body></html>
`;
}

/** Says hello and keeps the welcome; `ask(call, ...args)` calls the host. Only messages, without the runtime. */
export const BARE_CLIENT = `<script>
  const welcomed = new Promise((resolve) => {
    addEventListener('message', ({ source, data, ports }) => {
      if (source === parent && data.type === 'wb:welcome') resolve({ welcome: data, port: ports[0] });
    });
  });
  parent.postMessage({ type: 'wb:hello', version: 1 }, '*');
  let last = 0;
  const waiting = new Map();
  async function ask(call, ...args) {
    const { port } = await welcomed;
    port.onmessage = ({ data }) => waiting.get(data.id)?.(data);
    return new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      port.postMessage({ id, call, args });
    });
  }
</script>`;
