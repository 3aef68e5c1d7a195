/** What the search looks through: the text of every page, cut at its headings. */
import type { Page } from './read-page.ts';

export interface Section {
  /** Address from the root of the site, with the anchor. */
  id: string;
  page: string;
  heading: string;
  text: string;
}

export function searchSections({ address, title, html, headings }: Page): Section[] {
  const parts = html.split(/^<h[1-6] id="[^"]*">.*<\/h[1-6]>$/m);
  return headings.map(({ id, text }, at) => ({
    id: at === 0 ? address : `${address}#${id}`,
    page: title,
    heading: at === 0 ? '' : text,
    text: plainText(parts[at + 1] ?? ''),
  }));
}

const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function plainText(html: string): string {
  const text = html.replaceAll(/<\/?(?:p|li|t[dhr]|pre|div|br)[^>]*>/g, ' ').replaceAll(/<[^>]*>/g, '');
  const plain = text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => SIGNS[name]!);
  return plain.replaceAll(/\s+/g, ' ').trim();
}
