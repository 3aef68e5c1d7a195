/**
 * The connection to the host around the workbook. A welcome counts only from the window's own parent, and only the
 * first; unexpected replies are ignored. A host that does not answer in time is treated as absent: accepting it later
 * would overwrite values that were never read.
 */
import {
  BROKER_VERSION,
  type BrokerCall,
  type BrokerCalls,
  HELLO,
  type Hello,
  type Reply,
  WELCOME,
  type Welcome,
} from './broker.ts';
import { WbError } from './wb-error.ts';

/** A host answers as soon as its page is idle; a frame without a host waits this long. */
export const HOST_WAIT_MS = 10_000;

export interface Host {
  readonly welcome: Welcome;
  call<Call extends BrokerCall>(
    call: Call,
    ...args: BrokerCalls[Call]['args']
  ): Promise<BrokerCalls[Call]['value']>;
}

export function greetHost(page: Window, waitMs = HOST_WAIT_MS): Promise<Host | undefined> {
  if (page.parent === page) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const settle = (host?: Host) => {
      page.removeEventListener('message', listen);
      clearTimeout(timer);
      resolve(host);
    };
    const listen = (event: MessageEvent) => {
      const [port, ...more] = event.ports;
      if (event.source !== page.parent || !isWelcome(event.data) || !port || more.length > 0) return;
      settle(linkOver(port, event.data));
    };
    const timer = setTimeout(settle, waitMs);
    page.addEventListener('message', listen);
    // The parent's origin is unknown, and the greeting reveals nothing.
    page.parent.postMessage({ type: HELLO, version: BROKER_VERSION } satisfies Hello, '*');
  });
}

function isWelcome(data: unknown): data is Welcome {
  const { type, version, can, env } = (data ?? {}) as Partial<Welcome>;
  return type === WELCOME && version === BROKER_VERSION && isObject(can) && isObject(env);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

function linkOver(port: MessagePort, welcome: Welcome): Host {
  const pending = new Map<number, (reply: Reply) => void>();
  let last = 0;
  port.onmessage = ({ data }: MessageEvent<Reply | undefined>) => {
    const take = pending.get(data?.id as number);
    pending.delete(data?.id as number);
    take?.(data!);
  };
  return {
    welcome,
    call: (call, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        pending.set(id, (reply) =>
          reply.ok
            ? resolve(reply.value as never)
            : reject(new WbError(reply.error?.code ?? 'failed', String(reply.error?.message ?? call))),
        );
        port.postMessage({ id, call, args });
      }),
  };
}
