/** Asks the process that drives a data directory; `undefined` where there is none. Never hangs. */

import { createConnection } from 'node:net';
import { decodeJson, encodeJson } from '@woof/net';
import { isAlive } from '@woof/sandbox';
import { ownerOf } from '../data-directory.ts';
import { UserError } from '../user-error.ts';
import { knownAddress } from './control-address.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';

/** A stopped (not dead) process accepts connections and never answers. */
const PATIENCE_MS = 10_000;

/** A process that just began does not listen yet (drive.ts). */
const ASKED_AGAIN_MS = 50;
const MOST_ASKED = 20;

export async function askOwner(
  folder: string,
  request: ControlRequest,
  patienceMs = PATIENCE_MS,
): Promise<ControlAnswer | undefined> {
  for (let asked = 1; ; asked += 1) {
    const answer = await askOnce(folder, request, patienceMs);
    if (answer !== undefined || asked === MOST_ASKED || !isDrivenByAnother(folder)) return answer;
    await new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS));
  }
}

function isDrivenByAnother(folder: string): boolean {
  const pid = Number(ownerOf(folder));
  return pid > 0 && pid !== process.pid && isAlive(pid);
}

function askOnce(
  folder: string,
  request: ControlRequest,
  patienceMs: number,
): Promise<ControlAnswer | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = createConnection(knownAddress(folder));
    const silent = () => {
      socket.destroy();
      const pid = ownerOf(folder) ?? 'unknown';
      const fix = `is it stopped? kill -CONT ${pid} lets it go on`;
      reject(new UserError(`the process that drives the run (pid ${pid}) does not answer`, fix));
    };
    const timer = setTimeout(silent, patienceMs);
    const end = (answer: ControlAnswer | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${encodeJson(request)}\n`));
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) end(decodeJson(text) as ControlAnswer);
    });
    // No file, nobody behind it, or it died before it answered.
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
  });
}
