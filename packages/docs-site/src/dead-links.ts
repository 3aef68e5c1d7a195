/** Every link inside the repository must lead to a page, an anchor in a page, or a file. */
import type { Link, Page } from './read-page.ts';

export function deadLinks(pages: readonly Page[], isFile: (path: string) => boolean): string[] {
  const anchors = new Map(pages.map(({ file, headings }) => [file, new Set(headings.map(({ id }) => id))]));
  const reason = ({ file, anchor }: Link): string | undefined => {
    if (file === undefined) return 'leads out of the repository';
    const known = anchors.get(file);
    if (known === undefined && !isFile(file)) return `there is no file ${file}`;
    if (known === undefined) return file.endsWith('.md') ? `${file} is not a page of the site` : undefined;
    return anchor === undefined || known.has(anchor) ? undefined : `${file} has no heading #${anchor}`;
  };
  return pages.flatMap((page) =>
    page.links.flatMap((link) => {
      const found = reason(link);
      return found === undefined ? [] : [`${page.file}: the link ${link.text} is dead: ${found}`];
    }),
  );
}
