/** State that travels: in the fragment of an address, which browsers send to nobody, or inside a copy of the file. */
import type { Can, Share } from './api.ts';
import { fromBase64Url, toBase64Url } from './base64.ts';
import type { Guard } from './codec.ts';
import type { CopyWith } from './document-copy.ts';
import type { Host } from './host-link.ts';
import { WbError } from './wb-error.ts';

/** The longest address that chat and mail programs still accept. */
const MAX_FRAGMENT = 32 * 1024;

export interface ShareParts {
  ready: Promise<Can>;
  host: Promise<Host | undefined>;
  page: Document;
  snapshot(): string;
  copyWith: CopyWith;
  guard: Guard;
}

export function makeShare({ ready, host, page, snapshot, copyWith, guard }: ShareParts): Share {
  async function link(): Promise<string> {
    const ability = (await ready).link;
    if (!ability.ok)
      throw new WbError('unavailable', `${sentence(ability.why)} Share a copy: wb.share.save().`);
    const fragment = toFragment(snapshot());
    const address = page.location.href.split('#')[0]!;
    return (await host)?.call('share.link', fragment) ?? `${address}#${fragment}`;
  }

  async function copy(): Promise<string> {
    await ready;
    const html = copyWith(snapshot());
    guard(html, 'the copy');
    return html;
  }

  async function save(name = fileName(page)): Promise<void> {
    const ability = (await ready).save;
    if (!ability.ok) throw new WbError('unavailable', ability.why);
    const html = await copy();
    const broker = await host;
    if (broker) await broker.call('share.save', name, html);
    else download(page, name, html);
  }

  return { link, copy, save };
}

const sentence = (words: string) => (/[.!?]$/.test(words) ? words : `${words}.`);

function toFragment(snapshot: string): string {
  const fragment = `wb=${toBase64Url(snapshot)}`;
  if (fragment.length <= MAX_FRAGMENT) return fragment;
  const size = `${Math.ceil(fragment.length / 1024)} KB`;
  throw new WbError(
    'too-large',
    `The state takes ${size} in a link; the limit is ${MAX_FRAGMENT / 1024} KB. Share a copy: wb.share.save().`,
  );
}

/** The snapshot in an address's fragment, if it has one. */
export function snapshotIn(hash: string): string | undefined {
  const found = /[#&]wb=([\w-]+)/.exec(hash)?.[1];
  try {
    return found === undefined ? undefined : fromBase64Url(found);
  } catch {
    // It was cut off in transit.
    return '';
  }
}

function fileName({ location, title }: Document): string {
  const last = location.pathname.split('/').at(-1)!;
  return /^[\w.-]+\.html?$/i.test(last)
    ? last
    : `${title.replaceAll(/[^\p{L}\p{N}]+/gu, '-') || 'workbook'}.html`;
}

function download(page: Document, name: string, html: string): void {
  const address = URL.createObjectURL(new Blob([html], { type: 'text/html' }));
  const anchor = page.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
