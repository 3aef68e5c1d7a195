/**
 * The host of workbooks: what may be shown, with which permissions, and the documents of frames.
 *
 * Owns: tickets (a running workbook: its content and what was granted to it), consent, the order of checks. Does not
 * own: who may call it (`open-workbook.ts`, `workbook-pages.ts`), the page around a frame (`shell/`), headers
 * (`frame-policy.ts`).
 *
 * Invariants: a document is served only for a ticket, only into a frame, and only with the policy of that ticket. The
 * only input from a workbook that reaches this file is keys and values to keep.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PERMISSIONS, type Permission } from '@woof/documents/workbook';
import type { HostCan } from '@woof/workbook-runtime/broker';
import { asksOf, together } from './asks-of.ts';
import { FRAME_PERMISSIONS } from './frame/frame-permissions.ts';
import type { FrameAddress } from './frame-address.ts';
import { frameDocument } from './frame-document.ts';
import { COMMON_HEADERS, frameHeaders } from './frame-policy.ts';
import { frameSandbox } from './frame-sandbox.ts';
import type { Grants } from './grants.ts';
import { type KeptValues, NotKept } from './kept-values.ts';
import { PROBE_LABEL, PROBE_PAGE, PROBE_TARGET, probeHeaders, TARGET_HEADERS } from './probe-page.ts';
import type { Page } from './read-page.ts';
import type { Facts, Failure, Loads, PersistAnswer, PersistRequest, Running } from './shell-api.ts';
import { workbookLabel } from './workbook-label.ts';

/** One person's view of one workbook. */
export interface Opened {
  page: Page;
  grants: Grants;
  kept: KeptValues;
  /** Values by name that the user gave for this workbook. */
  env: Readonly<Record<string, string>>;
  /** Where values are kept, in words. */
  keeper: string;
}

interface Ticket {
  opened: Opened;
  granted: Permission[];
  env: Record<string, string>;
  shellOrigin: string;
  /** How many times its document was served. */
  loads: number;
}

/** The label of a site's only workbook. */
export const ONLY_LABEL = 'box';
const MOST_TICKETS = 1000;

/** A call that cannot be answered. The shell shows the message. */
export class Refusal extends Error {
  constructor(
    readonly code: Failure['error']['code'],
    message: string,
  ) {
    super(message);
  }
}

export class WorkbookHost {
  private readonly tickets = new Map<string, Ticket>();

  /**
   * `isSite`: the domain is a site that only one workbook uses, so what it keeps in the browser is its own, even
   * cookies.
   */
  constructor(
    private readonly address: FrameAddress,
    private readonly isSite = false,
  ) {}

  originOf({ page }: Opened): string {
    return this.address.originOf(this.labelOf(page));
  }

  private labelOf({ hash }: Page): string {
    return this.isSite ? ONLY_LABEL : workbookLabel(hash);
  }

  private hasOrigin(granted: readonly Permission[]): boolean {
    return this.isSite && granted.includes('storage');
  }

  get probeOrigin(): string {
    return this.address.originOf(PROBE_LABEL);
  }

  async facts(opened: Opened): Promise<Facts> {
    const { page, keeper } = opened;
    const { title, kind, permissions, reasons, env: asked } = page.workbook;
    const given = Object.keys(valuesFor(opened));
    const missing = asked.filter((name) => !given.includes(name));
    const shown = Object.fromEntries(Object.entries(reasons).map(([name, text]) => [name, plain(text, 300)]));
    const grant = await opened.grants.find(page.hash);
    return {
      title: plain(title, 120),
      kind,
      hash: page.hash,
      bytes: page.bytes,
      asks: asksOf(permissions, shown, { given, missing, keeper }),
      together: together(permissions),
      ...(grant ? { granted: grant.permissions } : {}),
      probe: `${this.probeOrigin}/`,
    };
  }

  /** Only permissions that the workbook requests can be granted. */
  async grant({ page, grants }: Opened, permissions: readonly Permission[]): Promise<void> {
    const asked = page.workbook.permissions;
    const granted = asked.filter((permission) => permissions.includes(permission));
    const title = plain(page.workbook.title, 120);
    if (asked.length > 0)
      await grants.put({ hash: page.hash, title, permissions: granted, granted_at: Date.now() });
  }

  /** Only pages of `shellOrigin` can show its document. */
  async run(opened: Opened, shellOrigin: string): Promise<Running> {
    const asked = opened.page.workbook.permissions;
    const grant = await opened.grants.find(opened.page.hash);
    if (asked.length > 0 && !grant)
      throw new Refusal('consent', 'you have not yet been asked whether it may run');
    const granted = asked.filter((permission) => grant?.permissions.includes(permission));
    const env = granted.includes('env') ? valuesFor(opened) : {};
    const ticket = this.issue({ opened, granted, env, shellOrigin, loads: 0 });
    const url = `${this.originOf(opened)}/${ticket}`;
    const sandbox = frameSandbox(this.hasOrigin(granted));
    return { url, ticket, granted, sandbox, can: canOf(granted, asked), env };
  }

  /** How many times the document of a running workbook was loaded. The frame may get as many welcomes. */
  loads(ticket: string, caller: Opened): Loads {
    return { loads: this.ticketOf(ticket, caller).loads };
  }

  async revoke({ page, grants }: Opened): Promise<void> {
    for (const [ticket, { opened }] of this.tickets) {
      if (opened.page.hash === page.hash && opened.grants === grants) this.tickets.delete(ticket);
    }
    await grants.revoke(page.hash);
  }

  /** Ends everything of it that is running. */
  forget(opened: Opened): void {
    for (const [name, ticket] of this.tickets) if (ticket.opened === opened) this.tickets.delete(name);
  }

  async persist({ ticket, call, args }: PersistRequest, caller: Opened): Promise<PersistAnswer> {
    const running = this.ticketOf(ticket, caller);
    const { page, grants, kept } = caller;
    // Read again, because it may have been revoked from a terminal.
    const grant = await grants.find(page.hash);
    if (!running.granted.includes('storage') || !grant?.permissions.includes('storage'))
      throw new Refusal('denied', 'storage was not granted');
    const [key, value] = args;
    if (call === 'persist.keys') return { value: await kept.keys(page.hash) };
    if (typeof key !== 'string') throw new Refusal('invalid', 'a key must be text');
    if (call === 'persist.get') return { value: await kept.get(page.hash, key) };
    if (call === 'persist.delete') await kept.delete(page.hash, key);
    else if (typeof value !== 'string') throw new Refusal('invalid', 'a value must be text');
    else await kept.set(page.hash, key, value);
    return {};
  }

  private ticketOf(name: string, caller: Opened): Ticket {
    const ticket = this.tickets.get(name);
    if (ticket && ticket.opened === caller) return ticket;
    throw new Refusal('denied', 'the workbook no longer runs; reload the page');
  }

  /** Returns whether the request was for a workbook's origin, and answers it if so. */
  async serveFrame(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const label = this.address.labelIn(request.headers.host);
    if (label === undefined) return false;
    if (label === PROBE_LABEL) this.serveProbe(request, response);
    else await this.serveDocument(label, request, response);
    return true;
  }

  private async serveDocument(
    label: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const ticket = this.tickets.get(request.url?.slice(1) ?? '');
    if (!ticket || request.method !== 'GET' || this.labelOf(ticket.opened.page) !== label)
      return refuse(response, 404, 'There is no workbook at this address. Open it with woof open.');
    // Outside the shell's frame, nothing would block its navigation or show whose page it is.
    if (request.headers['sec-fetch-dest'] !== 'iframe')
      return refuse(response, 403, 'A workbook opens only inside its host page. Open it with woof open.');
    const grant = await ticket.opened.grants.find(ticket.opened.page.hash);
    if (ticket.granted.some((permission) => !grant?.permissions.includes(permission)))
      return refuse(
        response,
        403,
        'The permissions of this workbook were revoked. Reload the page around it.',
      );
    ticket.loads += 1;
    const hasOrigin = this.hasOrigin(ticket.granted);
    response.writeHead(200, frameHeaders({ ...ticket, sandbox: frameSandbox(hasOrigin) }));
    const { text, workbook } = ticket.opened.page;
    response.end(frameDocument(text, { ...ticket, hasOrigin, asked: workbook.permissions }));
  }

  private serveProbe(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === PROBE_TARGET) response.writeHead(204, TARGET_HEADERS).end();
    else response.writeHead(200, probeHeaders(this.probeOrigin)).end(PROBE_PAGE);
  }

  private issue(ticket: Ticket): string {
    const [oldest] = this.tickets.keys();
    if (oldest !== undefined && this.tickets.size >= MOST_TICKETS) this.tickets.delete(oldest);
    const name = randomBytes(24).toString('base64url');
    this.tickets.set(name, ticket);
    return name;
  }
}

export function refuse(response: ServerResponse, status: number, words: string): void {
  const policy = { 'content-security-policy': `default-src 'none'; frame-ancestors 'none'; sandbox` };
  response.writeHead(status, { ...COMMON_HEADERS, ...policy, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${words}\n`);
}

/** The error code that a workbook may see. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal || error instanceof NotKept)
    return { error: { code: error.code, message: error.message } };
  return { error: { code: 'failed', message: 'the host could not perform the call' } };
}

/**
 * If a workbook names the values that it wants, it gets only those. Otherwise it gets all values that the user gave for
 * it.
 */
function valuesFor({ page, env }: Opened): Record<string, string> {
  const { permissions, env: asked } = page.workbook;
  if (!permissions.includes('env')) return {};
  const names = asked.length > 0 ? asked.filter((name) => Object.hasOwn(env, name)) : Object.keys(env);
  return Object.fromEntries(names.map((name) => [name, env[name]!]));
}

function canOf(granted: readonly Permission[], asked: readonly Permission[]): HostCan {
  const may = (permission: Permission) => {
    if (granted.includes(permission)) return true;
    return asked.includes(permission)
      ? `${permission} was not granted`
      : `the workbook does not ask for ${permission}`;
  };
  const can: HostCan = { 'share.link': 'this address works on this computer only', 'share.save': true };
  for (const permission of PERMISSIONS) {
    const { calls } = FRAME_PERMISSIONS[permission];
    if (calls) can[calls] = may(permission);
  }
  return can;
}

/**
 * An author's text for the shell, without characters that affect the direction or the line breaks of surrounding text.
 */
function plain(text: string, length: number): string {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return shown.length > length ? `${shown.slice(0, length - 1)}…` : shown;
}
