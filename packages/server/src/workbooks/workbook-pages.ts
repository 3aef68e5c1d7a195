/**
 * The workbook pages of a server: `/workbooks/<sha256>/` shows the stored value with that hash in the host, to callers
 * with a token. Frames are served under their own domain, which also resolves to this server.
 *
 * Grants and kept values belong to the token: each has its own folder on this server's disk. Environment values are not
 * given to any workbook.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PAGE_LIMIT } from '@woof/documents/workbook';
import { type BlobStore, referenceTo } from '@woof/stores';
import type { HostCheck } from '../access/host-check.ts';
import type { RateLimit } from '../access/rate-limit.ts';
import { mayDo, type Tokens, type Who } from '../access/tokens.ts';
import { FrameAddress } from './frame-address.ts';
import { Grants } from './grants.ts';
import { KeptValues } from './kept-values.ts';
import { OpenedWorkbooks } from './opened-workbooks.ts';
import { isOwnPage } from './own-page.ts';
import { type Page, readPage } from './read-page.ts';
import { answerCall, sendJson, sendShell } from './shell-calls.ts';
import { type Opened, refuse, WorkbookHost } from './workbook-host.ts';
import { workbookLabel } from './workbook-label.ts';

export interface WorkbookOptions {
  /** `wb.localhost`, or `https://wb.example.org` behind a proxy. */
  domain: string;
  /** The built script of the shell. */
  script: string;
  /** Where grants and kept values are stored. */
  folder: string;
  /** The key that seals grants. */
  key: Buffer;
}

export interface PagesParts extends WorkbookOptions {
  blobs: BlobStore;
  tokens: Tokens;
  hosts: HostCheck;
  /** Limits the calls of an address without a valid token. */
  strangers: RateLimit;
  /** The port of this server, known once it listens. */
  port: () => number;
}

const MOST_OPEN = { count: 50, bytes: 2 * PAGE_LIMIT };
const PATH = /^\/workbooks\/([0-9a-f]{64})\/([^?]*)/;

export class WorkbookPages {
  private readonly host: WorkbookHost;
  private readonly scheme: 'http' | 'https';
  private readonly address: FrameAddress;
  /** By token and content, so that a running workbook stays the same object. */
  private readonly opened: OpenedWorkbooks;

  constructor(private readonly parts: PagesParts) {
    const [, scheme = 'http', domain = ''] = /^(?:(https?):\/\/)?([^/]+)\/?$/.exec(parts.domain) ?? [];
    this.scheme = scheme as 'http' | 'https';
    // Behind a proxy, the address does not contain this server's port.
    const withPort = () =>
      this.scheme === 'https' || domain.includes(':') ? domain : `${domain}:${parts.port()}`;
    this.address = new FrameAddress(this.scheme, withPort);
    this.host = new WorkbookHost(this.address);
    this.opened = new OpenedWorkbooks(MOST_OPEN, (opened) => this.host.forget(opened));
  }

  /** The origins of all workbooks, in the form of a content security policy. */
  get frames(): string {
    return this.address.originOf('*');
  }

  /** Returns whether the request was for a workbook or its page, and answers it if so. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (await this.host.serveFrame(request, response)) return true;
    const [, hash, path] = PATH.exec(request.url ?? '') ?? [];
    if (hash === undefined || path === undefined) return false;
    const shellOrigin = `${this.scheme}://${request.headers.host}`;
    if (!this.isOurs(request))
      refuse(response, 421, 'The server does not answer to this host name; allow it with --host.');
    else if (!isOwnPage(request, path, shellOrigin))
      refuse(response, 403, 'Only the page of the workbook can make this call.');
    else if (path === '')
      sendShell(this.host, this.parts.script, [this.address.originOf(workbookLabel(hash))], response);
    else if (path.startsWith('api/')) await this.call(hash, path.slice(4), shellOrigin, request, response);
    else refuse(response, 404, 'There is nothing at this address.');
    return true;
  }

  private async call(
    hash: string,
    call: string,
    shellOrigin: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const who = await this.whoIs(request);
    if (who === undefined)
      return sendJson(response, 401, {
        error: { code: 'token', message: 'this needs a token with the role viewer or higher' },
      });
    const opened = await this.openedBy(who, hash);
    if (opened === undefined)
      return sendJson(response, 404, {
        error: { code: 'failed', message: 'The server has no page with this hash.' },
      });
    await answerCall(this.host, { opened, shellOrigin }, call, request, response);
  }

  private async whoIs({ headers, socket }: IncomingMessage): Promise<Who | undefined> {
    const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
    const { tokens, strangers } = this.parts;
    if (token === undefined) return undefined;
    // Guessing tokens causes no more store lookups than a stranger has calls.
    if (!tokens.hasMet(token) && strangers.take(socket.remoteAddress ?? '') > 0) return undefined;
    const who = await tokens.read(token);
    return who && mayDo(who.role, 'viewer', false) ? who : undefined;
  }

  private isOurs(request: IncomingMessage): boolean {
    try {
      this.parts.hosts.check('GET', request.headers);
      return true;
    } catch {
      return false;
    }
  }

  private openedBy(who: Who, hash: string): Promise<Opened | undefined> {
    return this.opened.find(`${who.id}/${hash}`, async () => {
      const page = await this.read(hash);
      const folder = join(this.parts.folder, who.id);
      return (
        page && {
          page,
          env: {},
          keeper: 'on this server, for your token',
          grants: new Grants(folder, () => this.parts.key),
          kept: new KeptValues(folder),
        }
      );
    });
  }

  private async read(hash: string): Promise<Page | undefined> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of this.parts.blobs.get(referenceTo(hash, 0, null))) {
        bytes += chunk.length;
        if (bytes > PAGE_LIMIT) return undefined;
        chunks.push(chunk);
      }
    } catch {
      return undefined;
    }
    const page = readPage(Buffer.concat(chunks));
    return 'what' in page || page.hash !== hash ? undefined : page;
  }
}

/** A separate key, derived from the one that seals secrets. */
export function grantKeyFrom(secretKey: Buffer): Buffer {
  return createHash('sha256').update('workbook grants').update(secretKey).digest();
}
