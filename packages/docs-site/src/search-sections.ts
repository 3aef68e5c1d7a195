/** What the search covers: the text of every page, split at its headings. */
import type { Page } from './read-page.ts';

export interface Section {
  /** Address from the root of the site, with the anchor. */
  id: string;
  page: string;
  heading: string;
  text: string;
}

const HEADING = /^<h[1-6] id="([^"]*)">(.*)<\/h[1-6]>$/gm;

/** Pages about the project are left out: they contain the words of every other page. */
export function searchSections({ file, address, title, html }: Page): Section[] {
  if (!file.startsWith('docs/')) return [];
  const headings = [...html.matchAll(HEADING)];
  return headings.map(({ 0: whole, 1: id, 2: heading = '', index }, at) => ({
    id: at === 0 ? address : `${address}#${id}`,
    page: title,
    heading: at === 0 ? '' : plainText(heading),
    text: plainText(html.slice(index + whole.length, headings[at + 1]?.index)),
  }));
}

const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function plainText(html: string): string {
  const text = html.replaceAll(/<\/?(?:p|li|t[dhr]|pre|div|br)[^>]*>/g, ' ').replaceAll(/<[^>]*>/g, '');
  const plain = text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => SIGNS[name]!);
  return plain.replaceAll(/\s+/g, ' ').trim();
}
