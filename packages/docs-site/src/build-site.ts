/**
 * Builds the documentation site: Markdown files to the files of the site. It reads and writes nothing itself.
 *
 * Links between pages are relative, so that the site works under any address; only the not-found page knows that a
 * server shows the site at /docs/.
 */
import { addressOf } from './addresses.ts';
import { deadLinks } from './dead-links.ts';
import { missingPageHtml, pageHtml } from './page-html.ts';
import { type Page, readPage } from './read-page.ts';
import { type Section, searchSections } from './search-sections.ts';
import { sidebar } from './sidebar.ts';

export interface Sources {
  /** The texts of the pages, by file path relative to the repository. */
  pages: ReadonlyMap<string, string>;
  isFile(path: string): boolean;
}

export interface Site {
  /** HTML by address. */
  pages: Map<string, string>;
  sections: Section[];
  /** Files that pages link to or show, by address. */
  files: Map<string, string>;
  /** What prevents the site from being built. */
  problems: string[];
}

export function buildSite({ pages: texts, isFile }: Sources): Site {
  const pages = [...texts].map(([file, text]) => readPage(file, text));
  const groups = sidebar(pages);
  const html = pages.map((page) => [page.address, pageHtml(page, groups)] as const);
  return {
    pages: new Map([...html, ['404.html', missingPageHtml(groups)]]),
    sections: pages.flatMap(searchSections),
    files: filesOf(pages),
    problems: deadLinks(pages, isFile),
  };
}

function filesOf(pages: readonly Page[]): Map<string, string> {
  const known = new Set(pages.map(({ file }) => file));
  const linked = pages.flatMap(({ links }) => links.flatMap(({ file }) => file ?? []));
  return new Map(linked.filter((file) => !known.has(file)).map((file) => [addressOf(file), file]));
}
