/** What a browser loads because of an element. Links that a person would follow are not included. */
import { attributeOf, type Element } from './html-tree.ts';

export interface ElementReference {
  attribute: string;
  url: string;
  /** What is loaded, which decides how it can be inlined. */
  use: 'script' | 'style' | 'media' | 'frame' | 'sprite' | 'hint' | 'manifest' | 'base' | 'refresh';
}

const MEDIA: Record<string, readonly string[]> = {
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
  image: ['href', 'xlink:href'],
  feimage: ['href', 'xlink:href'],
  body: ['background'],
  table: ['background'],
  td: ['background'],
};
const FRAMES: Record<string, string> = { iframe: 'src', frame: 'src', embed: 'src', object: 'data' };
const HINTS = ['preload', 'modulepreload', 'prefetch', 'preconnect', 'dns-prefetch', 'prerender'];
const ICONS = [
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'apple-touch-startup-image',
];

/** An address that needs no request: inside this page, or part of it. */
export function isInside(url: string): boolean {
  return /^\s*(#|$|data:|blob:|about:|javascript:)/i.test(url);
}

export function elementReferences(element: Element): ElementReference[] {
  return everyReference(element).filter(({ url }) => !isInside(url));
}

function everyReference(element: Element): ElementReference[] {
  const tag = element.tagName.toLowerCase();
  const one = (attribute: string, use: ElementReference['use']): ElementReference[] => {
    const value = attributeWithPrefix(element, attribute);
    if (value === undefined) return [];
    const urls = attribute === 'srcset' ? candidatesOf(value).map(({ url }) => url) : [value.trim()];
    return urls.map((url) => ({ attribute, url, use }));
  };
  if (tag === 'script')
    return [...one('src', 'script'), ...one('href', 'script'), ...one('xlink:href', 'script')];
  if (tag === 'link') return linkReference(element, one);
  if (tag === 'input')
    return attributeOf(element, 'type')?.toLowerCase() === 'image' ? one('src', 'media') : [];
  if (tag === 'use') return [...one('href', 'sprite'), ...one('xlink:href', 'sprite')];
  if (tag === 'base') return one('href', 'base');
  if (tag === 'meta') return refreshOf(element);
  if (tag in FRAMES) return one(FRAMES[tag]!, 'frame');
  return (MEDIA[tag] ?? []).flatMap((attribute) => one(attribute, 'media'));
}

function linkReference(
  element: Element,
  one: (attribute: string, use: ElementReference['use']) => ElementReference[],
): ElementReference[] {
  const words = (attributeOf(element, 'rel') ?? '').toLowerCase().split(/\s+/);
  if (words.includes('stylesheet')) return one('href', 'style');
  if (words.some((word) => HINTS.includes(word))) return one('href', 'hint');
  if (words.some((word) => ICONS.includes(word))) return one('href', 'media');
  return words.includes('manifest') ? one('href', 'manifest') : [];
}

function refreshOf(element: Element): ElementReference[] {
  if (attributeOf(element, 'http-equiv')?.toLowerCase() !== 'refresh') return [];
  const url = /url\s{0,40}=\s{0,40}["']?([^"']{0,2000})/i.exec(attributeOf(element, 'content') ?? '')?.[1];
  return url === undefined ? [] : [{ attribute: 'content', url, use: 'refresh' }];
}

/** parse5 separates the prefix of SVG attributes from their names. */
function attributeWithPrefix(element: Element, name: string): string | undefined {
  return element.attrs.find((each) => (each.prefix ? `${each.prefix}:${each.name}` : each.name) === name)
    ?.value;
}

export interface Candidate {
  url: string;
  /** ` 2x`, ` 640w`, or nothing. */
  descriptor: string;
}

/** The addresses of a `srcset`. A data URL may contain commas, but does not end with one. */
export function candidatesOf(srcset: string): Candidate[] {
  const found: Candidate[] = [];
  const blank = /\s/g;
  for (let at = 0; at < srcset.length; ) {
    while (at < srcset.length && /[\s,]/.test(srcset[at]!)) at++;
    blank.lastIndex = at;
    const end = blank.exec(srcset)?.index ?? srcset.length;
    let last = end;
    while (last > at && srcset[last - 1] === ',') last--;
    if (last === at) break;
    const url = srcset.slice(at, last);
    const comma = last < end ? last : srcset.indexOf(',', end);
    at = comma < 0 ? srcset.length : comma + 1;
    found.push({
      url,
      descriptor: last < end ? '' : srcset.slice(end, comma < 0 ? undefined : comma).trim(),
    });
  }
  return found;
}
