/**
 * The group and the order of pages in the sidebar. Files in `how-to/` and `explanation/` join their group
 * automatically; every other page of `docs/` is reference. The order is that of the links in `docs/README.md`; pages
 * that it does not link to come last, by title.
 */
import type { Page } from './read-page.ts';

export interface Group {
  title: string;
  pages: Entry[];
}

export interface Entry {
  page: Page;
  /** Pages below this one: `tools/http` is below `tools`. */
  below: Page[];
}

/** Pages directly in `docs/` that are not reference. */
const TITLES: Record<string, string[]> = {
  Tutorial: ['docs/installation.md', 'docs/tutorial.md'],
  'How-to': ['docs/from-noetl.md', 'docs/upgrade.md'],
  Reference: [],
  Explanation: ['docs/comparison.md'],
  Project: [],
};

export const INDEX = 'docs/README.md';

export function sidebar(pages: readonly Page[]): Group[] {
  const sorted = inOrder(pages);
  const isBelow = ({ file }: Page) => pages.some((page) => isParent(page.file, file));
  return Object.keys(TITLES)
    .map((title) => ({
      title,
      pages: sorted
        .filter((page) => groupOf(page.file) === title && !isBelow(page))
        .map((page) => ({ page, below: sorted.filter(({ file }) => isParent(page.file, file)) })),
    }))
    .filter((group) => group.pages.length > 0);
}

const isParent = (parent: string, file: string) => file.startsWith(`${parent.replace(/\.md$/, '')}/`);

function groupOf(file: string): string | undefined {
  if (file === INDEX) return undefined;
  if (!file.startsWith('docs/')) return 'Project';
  if (file.startsWith('docs/how-to/')) return 'How-to';
  if (file.startsWith('docs/explanation/')) return 'Explanation';
  return Object.keys(TITLES).find((title) => TITLES[title]!.includes(file)) ?? 'Reference';
}

function inOrder(pages: readonly Page[]): Page[] {
  const index = pages.find(({ file }) => file === INDEX)?.links.map(({ file }) => file) ?? [];
  const place = ({ file }: Page) => (index.includes(file) ? index.indexOf(file) : index.length);
  return pages.toSorted((a, b) => place(a) - place(b) || a.title.localeCompare(b.title, 'en'));
}
