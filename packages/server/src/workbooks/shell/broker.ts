/**
 * The host's end of the broker. It serves one frame, which it identifies by its window and by nothing that the frame
 * says.
 *
 * Each load gets one welcome, whatever the frame says: the host knows the number of loads, because it served them.
 * Calls that were not granted are refused here, and the host checks calls that keep values once more.
 */
import {
  BROKER_VERSION,
  type BrokerCall,
  type BrokerErrorCode,
  CLIPBOARD,
  HELLO,
  type HostCan,
  type Reply,
  type Request,
  WELCOME,
  type Welcome,
} from '@woof/workbook-runtime/broker';
import type { PersistRequest, Running } from '../shell-api.ts';
import { CallFailed, host } from './calls.ts';
import { saveCopy } from './save-copy.ts';

const MOST_WAITING = 200;

/** What the host must let the workbook do for each call. */
const NEEDS: Readonly<Record<BrokerCall, keyof HostCan>> = {
  'persist.get': 'persist',
  'persist.set': 'persist',
  'persist.delete': 'persist',
  'persist.keys': 'persist',
  'clipboard.read': 'clipboard',
  'clipboard.write': 'clipboard',
  'share.link': 'share.link',
  'share.save': 'share.save',
};

/** A frame can send anything. */
function isCall(call: unknown): call is BrokerCall {
  return typeof call === 'string' && Object.hasOwn(NEEDS, call);
}

class Refused extends Error {
  constructor(
    readonly code: BrokerErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Runs until the signal aborts. A revoked workbook gets no more replies. */
export function attend(frame: HTMLIFrameElement, running: Running, signal: AbortSignal): void {
  let port: MessagePort | undefined;
  let welcomes = 0;
  const welcome: Welcome = { type: WELCOME, version: BROKER_VERSION, can: running.can, env: running.env };
  const greet = () => {
    welcomes += 1;
    port?.close();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    answer(port1, running);
    // The frame may have an opaque origin, which cannot be named as a target. Only documents of this workbook can be in
    // it.
    frame.contentWindow?.postMessage(welcome, '*', [port2]);
  };
  const onHello = async () => {
    if (welcomes === 0) return greet();
    const { loads } = await host.loads(running.ticket);
    if (welcomes < loads && !signal.aborted) greet();
  };
  let asking = 0;
  const onClipboard = async (data: Request, port: MessagePort) => {
    asking += 1;
    const isClipboard = isCall(data.call) && NEEDS[data.call] === 'clipboard';
    const refusal = asking > MOST_WAITING ? busy : isClipboard ? undefined : unknownCall;
    port.postMessage(refusal ? failed(0, refusal) : await perform(0, data, running));
    asking -= 1;
  };
  const onMessage = ({ source, data, ports: [port] }: MessageEvent) => {
    if (source === null || source !== frame.contentWindow) return;
    if (data?.type === HELLO) onHello().catch(() => {});
    if (data?.type === CLIPBOARD && port) onClipboard(data, port).catch(() => {});
  };
  addEventListener('message', onMessage, { signal });
  signal.addEventListener('abort', () => port?.close());
}

function answer(port: MessagePort, running: Running): void {
  let waiting = 0;
  port.onmessage = async ({ data }: MessageEvent) => {
    const id: unknown = data?.id;
    if (typeof id !== 'number') return;
    waiting += 1;
    const reply = waiting > MOST_WAITING ? failed(id, busy) : await perform(id, data as Request, running);
    waiting -= 1;
    port.postMessage(reply);
  };
}

const unknownCall = new Refused('invalid', 'there is no such call');
const busy = new Refused('failed', `more than ${MOST_WAITING} calls are waiting`);

async function perform(id: number, { call, args }: Request, running: Running): Promise<Reply> {
  try {
    if (!Array.isArray(args)) throw new Refused('invalid', 'args must be a list');
    if (!isCall(call)) throw unknownCall;
    demand(running.can[NEEDS[call]]);
    return { id, ok: true, value: (await act(call, args, running)) as never };
  } catch (error) {
    return failed(id, error);
  }
}

function failed(id: number, error: unknown): Reply {
  const { code, message } =
    error instanceof Refused || error instanceof CallFailed
      ? error
      : new Refused('failed', error instanceof Error ? error.message : 'the call failed');
  const known: BrokerErrorCode = code === 'consent' || code === 'token' ? 'denied' : code;
  return { id, ok: false, error: { code: known, message } };
}

/** Performs a call that was granted. */
async function act(call: BrokerCall, args: unknown[], { ticket }: Running): Promise<unknown> {
  switch (call) {
    case 'persist.get':
    case 'persist.set':
    case 'persist.delete':
    case 'persist.keys': {
      const request: PersistRequest = { ticket, call, args };
      const { value } = await host.persist(request);
      if (call === 'persist.set') leaveLink();
      return value;
    }
    case 'clipboard.read':
      demandGesture();
      return navigator.clipboard.readText();
    case 'clipboard.write':
      demandGesture();
      return navigator.clipboard.writeText(text(args[0]));
    case 'share.save':
      demandActivation();
      if (!(await saveCopy(text(args[0]), text(args[1]))))
        throw new Refused('denied', 'the user did not save it');
      return undefined;
    case 'share.link':
      return `${location.origin}${location.pathname}#${text(args[0])}`;
    default:
      throw unknownCall;
  }
}

/** The state in a link takes precedence over kept values, so on reload it would undo later changes. */
function leaveLink(): void {
  if (location.hash.startsWith('#wb=')) history.replaceState(null, '', location.pathname);
}

function demand(granted: true | string | undefined): void {
  if (granted !== true) throw new Refused('denied', granted ?? 'it was not granted');
}

/** The longest time for which browsers remember a gesture. */
const GESTURE_MS = 5000;
let ownGesture = Number.NEGATIVE_INFINITY;
for (const type of ['pointerdown', 'keydown'])
  addEventListener(type, () => (ownGesture = performance.now()), { capture: true });

/**
 * A click or key press in the frame also activates the page around it. Gestures in this page itself do not count for
 * the workbook.
 */
function demandGesture(): void {
  demandActivation(performance.now() - ownGesture < GESTURE_MS);
}

function demandActivation(isForeign = false): void {
  if (isForeign || navigator.userActivation?.isActive === false)
    throw new Refused('denied', 'only allowed right after a click or a key in the workbook');
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Refused('invalid', 'expected text');
  return value;
}
