/**
 * The protocol between the runtime inside a workbook and the host around it. Types and names only: no DOM, no code.
 *
 * 1. The workbook posts {@link Hello} to its parent, once per load.
 * 2. The host identifies the caller by `event.source === frame.contentWindow` and by nothing else. It answers the first
 *    hello of a load with {@link Welcome} and one MessagePort. The workbook accepts a welcome from `window.parent`
 *    only, and only the first.
 * 3. Everything else is sent over the port: {@link Request} and exactly one {@link Reply} for each. An unknown id is
 *    ignored.
 *
 * The host refuses what was not granted, whatever a workbook says. Values of `persist` are text, which the runtime
 * encodes (including Date, Map, BigInt and bytes); a host answers anything else with `invalid`. A host passes the
 * fragment of its own address (`#wb=…`) on to the frame's address: that is how shared state travels.
 */
export const BROKER_VERSION = 1;
export const HELLO = 'wb:hello';
export const WELCOME = 'wb:welcome';
/** A call of `navigator.clipboard` in the frame: `{type, call, args}` with a port for its only {@link Reply}. */
export const CLIPBOARD = 'wb:clipboard';

/** Elements that a host adds to a workbook's document carry this attribute; copies of the workbook leave them out. */
export const HOST_ATTRIBUTE = 'data-wb-host';

export interface Hello {
  type: typeof HELLO;
  version: number;
}

/** What the host lets this workbook do: `true`, or why not in words for a person. Absent means no. */
export type Granted = true | string;

export interface HostCan {
  persist?: Granted;
  env?: Granted;
  clipboard?: Granted;
  /** The host has an address that others can open. */
  'share.link'?: Granted;
  /** The host saves a copy as a file. */
  'share.save'?: Granted;
}

export interface Welcome {
  type: typeof WELCOME;
  version: number;
  can: HostCan;
  /** Values by name; also available to the page as `WB_ENV`. */
  env: Record<string, string>;
  /** Names in `env` that are secret. Without the list all of them are. */
  secrets?: string[];
}

/** Calls by name: their arguments and results. */
export interface BrokerCalls {
  'persist.get': { args: [key: string]; value: string | undefined };
  'persist.set': { args: [key: string, value: string]; value: undefined };
  'persist.delete': { args: [key: string]; value: undefined };
  'persist.keys': { args: []; value: string[] };
  'clipboard.read': { args: []; value: string };
  'clipboard.write': { args: [text: string]; value: undefined };
  /** Takes a fragment (`wb=…`), returns an address with it. */
  'share.link': { args: [fragment: string]; value: string };
  'share.save': { args: [name: string, html: string]; value: undefined };
}

export type BrokerCall = keyof BrokerCalls;

export interface Request<Call extends BrokerCall = BrokerCall> {
  id: number;
  call: Call;
  args: BrokerCalls[Call]['args'];
}

/** `denied`: not granted. `too-large`, `full`: limits of the host. `invalid`: not a call, or bad arguments. */
export type BrokerErrorCode = 'denied' | 'too-large' | 'full' | 'invalid' | 'failed';

export type Reply<Call extends BrokerCall = BrokerCall> =
  | { id: number; ok: true; value: BrokerCalls[Call]['value'] }
  | { id: number; ok: false; error: { code: BrokerErrorCode; message: string } };
