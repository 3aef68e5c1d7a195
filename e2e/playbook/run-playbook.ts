/** Runs playbook text through the real binary, and a small HTTP server for it to talk to. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Account {
  execution_id: string;
  status: string;
  steps: Record<string, { status: string; runs: number; result?: unknown; error?: Record<string, unknown> }>;
  error?: { message: string; step?: string } & Record<string, unknown>;
}

/** A folder of its own, with a data directory in it; gone with `dispose`. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'woof-e2e-'));
  /** Added to the environment of the tests. */
  env: Record<string, string> = {};

  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  woof(...args: string[]): Promise<Answer> {
    return new Promise((resolve) => {
      const env = { ...process.env, NO_COLOR: '1', ...this.env };
      const options = { cwd: this.path, maxBuffer: 64 * 1024 * 1024, env };
      execFile(process.execPath, [WOOF, ...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      });
    });
  }

  /** `woof run --json` on this text. */
  async run(steps: string, ...args: string[]): Promise<Account & { code: number; stderr: string }> {
    const file = this.write(
      'playbook.yaml',
      `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: test}\n${steps}`,
    );
    const { code, stdout, stderr } = await this.woof('run', file, '--json', ...args);
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (!last.startsWith('{')) throw new Error(`no account; exit ${code}\n${stdout}\n${stderr}`);
    return { ...(JSON.parse(last) as Account), code, stderr };
  }

  async events(run: string): Promise<Record<string, unknown>[]> {
    const { stdout } = await this.woof('events', run, '--json');
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

type Handler = (
  request: IncomingMessage,
  body: string,
) => { status?: number; json?: unknown; headers?: Record<string, string> };

export interface TestServer {
  url: string;
  /** `METHOD /path?query` of every request, in order. */
  requests: string[];
  close(): Promise<void>;
}

export async function serve(handler: Handler): Promise<TestServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => answer(handler, request, body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

function answer(handler: Handler, request: IncomingMessage, body: string, response: ServerResponse): void {
  const { status = 200, json = null, headers = {} } = handler(request, body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(json));
}
