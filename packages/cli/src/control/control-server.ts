/**
 * The socket through which verbs in other terminals command the runs of this process.
 * Owns: the socket file, mode 0600, and the lines on it. Does not own: what a request does (handle-request.ts).
 */

import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { decodeJson, encodeJson } from '@woof/net';
import type { Runtime } from '../runtime.ts';
import { claimAddress } from './control-address.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';
import { RequestHandler } from './handle-request.ts';

const MAX_REQUEST = 64 * 1024;

export interface Control {
  close(): Promise<void>;
}

export async function openControl(runtime: Runtime): Promise<Control> {
  const handler = new RequestHandler(runtime);
  const open = new Set<Socket>();
  const answers = new Set<Promise<void>>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serve(socket, (line) => {
      const answered = answer(line, handler).then(
        (said) => void socket.end(`${encodeJson(said)}\n`),
        () => void socket.destroy(),
      );
      answers.add(answered);
      void answered.finally(() => answers.delete(answered));
    });
  });
  const address = await listen(server, runtime);
  return {
    close: async () => {
      server.close();
      // Whoever ended the run is told so; dropping an incomplete request harms nobody.
      await Promise.all(answers);
      for (const socket of open) socket.end();
      if (address !== undefined) rmSync(address, { force: true });
    },
  };
}

/** A run continues without its socket, but not silently. */
async function listen(server: Server, { data, driver }: Runtime): Promise<string | undefined> {
  try {
    const address = claimAddress(data.path, driver);
    await new Promise<void>((resolve, reject) => {
      const umask = process.umask(0o177);
      server.once('error', reject);
      server.listen(address, resolve);
      process.umask(umask);
    });
    chmodSync(address, 0o600);
    return address;
  } catch (error) {
    process.stderr.write(
      `warning: no control socket, so other terminals cannot control this run: ${(error as Error).message}\n`,
    );
    return undefined;
  }
}

function serve(socket: Socket, onLine: (line: string) => void): void {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    text += String(chunk);
    if (text.length > MAX_REQUEST) socket.destroy();
    const end = text.indexOf('\n');
    if (end === -1) return;
    const line = text.slice(0, end);
    text = '';
    onLine(line);
  });
}

async function answer(line: string, handler: RequestHandler): Promise<ControlAnswer> {
  try {
    return await handler.handle(decodeJson(line) as ControlRequest);
  } catch (error) {
    return { ok: false, pid: process.pid, message: (error as Error).message };
  }
}
