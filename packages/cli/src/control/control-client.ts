/** Sends a request to a process that drives runs; `undefined` if it is gone. Never hangs. */

import { createConnection } from 'node:net';
import { decodeJson, encodeJson } from '@woof/net';
import { isDriving, pidOf } from '../drivers/drivers.ts';
import { UserError } from '../user-error.ts';
import { knownAddress } from './control-address.ts';
import type { ControlAnswer, ControlRequest } from './control-message.ts';

/** A stopped (not dead) process accepts connections and never answers. */
const PATIENCE_MS = 10_000;

/** A process that has just started does not listen yet (drive.ts). */
const ASKED_AGAIN_MS = 50;

export async function askDriver(
  folder: string,
  driver: string,
  request: ControlRequest,
): Promise<ControlAnswer | undefined> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await askOnce(folder, driver, request);
    if (answer !== undefined || !isDriving(folder, driver)) return answer;
    if (Date.now() > deadline) throw unanswered(driver);
    await new Promise((resolve) => setTimeout(resolve, ASKED_AGAIN_MS));
  }
}

function unanswered(driver: string): UserError {
  const pid = pidOf(driver);
  const fix = `if it is suspended, continue it with: kill -CONT ${pid}`;
  return new UserError(`the process that drives the run (pid ${pid}) does not answer`, fix);
}

function askOnce(
  folder: string,
  driver: string,
  request: ControlRequest,
): Promise<ControlAnswer | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = createConnection(knownAddress(folder, driver));
    const silent = () => {
      socket.destroy();
      reject(unanswered(driver));
    };
    const timer = setTimeout(silent, PATIENCE_MS);
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
    // There is no file, nobody is listening, or the process died before it answered.
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
  });
}
