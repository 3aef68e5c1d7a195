/** The whole HTML of a page. It contains no inline script or style, so that the server can forbid both. */
import { escapeHtml } from '@woof/workbook-page';
import { rootFrom } from './addresses.ts';
import type { Page } from './read-page.ts';
import type { Entry, Group } from './sidebar.ts';

/** Where servers show the site. */
const MOUNT = '/docs/';

/** The server's page for sending calls; the site has no file for it. */
const TRY_API = 'api';

interface Frame {
  groups: readonly Group[];
  /** The page itself; undefined for the not-found page. */
  current: Page | undefined;
  /** The relative path to the root of the site. */
  root: string;
}

export function pageHtml(page: Page, groups: readonly Group[]): string {
  const frame = { groups, current: page, root: rootFrom(page.address) };
  const content = `<article>${withPermalinks(page)}${neighbours(page, frame)}</article>${contentsOf(page)}`;
  return wholePage(page.title, content, frame);
}

/** It is shown at any address below the site, so its links are not relative. */
export function missingPageHtml(groups: readonly Group[]): string {
  const content = `<article><h1>There is no such page</h1>
<p>Search for it above, or begin at the <a href="${MOUNT}index.html">first page</a>.</p></article>`;
  return wholePage('No such page', content, { groups, current: undefined, root: MOUNT });
}

function wholePage(title: string, content: string, frame: Frame): string {
  const { root, groups } = frame;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Woof</title>
<link rel="icon" href="${root}icon.svg" type="image/svg+xml"><link rel="stylesheet" href="${root}site.css">
<script src="${root}theme.js"></script><script src="${root}site.js" defer></script></head>
<body><a class="skip" href="#content">Skip to the text</a>
<header><a class="button menu" href="#menu" aria-label="Menu">☰</a><a class="brand" href="${root}index.html">Woof</a>
<search hidden><input type="search" placeholder="Search ( / )" aria-label="Search the documentation" aria-controls="found" autocomplete="off" spellcheck="false"><div id="found" hidden></div></search>
<button type="button" class="button" id="theme" aria-label="Dark mode" aria-pressed="false" hidden>◐</button></header>
<nav id="menu" aria-label="Pages"><a class="button close" href="#" aria-label="Close the menu">✕</a>
${groups.map((group) => groupHtml(group, frame)).join('\n')}</nav>
<main id="content" tabindex="-1">${content}</main></body></html>
`;
}

function groupHtml({ title, pages }: Group, frame: Frame): string {
  const items = pages.map((entry) => entryHtml(entry, frame));
  if (title === 'Reference') items.push(`<li><a href="${frame.root}${TRY_API}">Try the HTTP API</a></li>`);
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
}

/** Subpages appear only while their parent or one of them is shown, so that the list stays short. */
function entryHtml({ page, below }: Entry, frame: Frame): string {
  const isOpen = frame.current !== undefined && [page, ...below].includes(frame.current);
  const inner = isOpen ? below.map((each) => `<li>${linkHtml(each, frame)}</li>`).join('') : '';
  return `<li>${linkHtml(page, frame)}${inner && `<ul>${inner}</ul>`}</li>`;
}

function linkHtml(page: Page, { current, root }: Frame): string {
  const mark = page === current ? ' aria-current="page"' : '';
  return `<a href="${root}${escapeHtml(page.address)}"${mark}>${escapeHtml(page.title)}</a>`;
}

function withPermalinks({ html }: Page): string {
  return html.replaceAll(
    /^<(h[2-6]) id="([^"]*)">(.*)<\/\1>$/gm,
    '<$1 id="$2">$3 <a class="here" href="#$2" aria-label="Link to this section">#</a></$1>',
  );
}

function contentsOf({ headings }: Page): string {
  const parts = headings.filter(({ level }) => level === 2);
  if (parts.length < 2) return '';
  const items = parts.map(({ id, text }) => `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`);
  return `\n<aside aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>`;
}

function neighbours(page: Page, { groups, root }: Frame): string {
  const all = groups.flatMap(({ pages }) => pages.flatMap((entry) => [entry.page, ...entry.below]));
  const place = all.indexOf(page);
  const link = (rel: string, to: Page | undefined) =>
    to === undefined ? '' : `<a rel="${rel}" href="${root}${to.address}">${escapeHtml(to.title)}</a>`;
  return `<footer>${link('prev', all[place - 1])}${link('next', all[place + 1])}</footer>`;
}
