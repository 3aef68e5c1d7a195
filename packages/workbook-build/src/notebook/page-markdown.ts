/**
 * The text of a notebook as HTML, with its headings for the table of contents and its pictures from the files beside
 * it.
 */
import { type Heading, renderMarkdown } from '@woof/documents/html';
import { highlight, PLACES } from '@woof/workbook-page';
import type { FilesBeside } from './notebook-files.ts';

/** Ids of headings have a prefix, so that none collides with another part of the page. */
export function markdownFor(
  beside: FilesBeside,
  headings: Heading[],
  /** Cells whose chart the page shows: their stored picture would repeat the chart. */
  charts: ReadonlySet<string> = new Set(),
): (source: string) => string {
  const used = new Map<string, number>();
  const idOf = (title: string) => {
    const slug = `s-${title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')}`;
    const count = (used.get(slug) ?? 0) + 1;
    used.set(slug, count);
    return count === 1 ? slug : `${slug}-${count}`;
  };
  return (source) => {
    const found = renderMarkdown(source, {
      idOf,
      codeOf: highlight,
      pictureOf: (path) => chartIn(path, charts) ?? pictureOf(path, beside),
    });
    headings.push(...found.headings);
    return found.html;
  };
}

const PICTURES: Record<string, string> = {
  ...{
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    svg: 'image/svg+xml',
  },
};

function chartIn(path: string, charts: ReadonlySet<string>): string | undefined {
  const [, cell = ''] = /^(?:\.\/)?artifacts\/([^/]+)\/chart\.svg$/.exec(decoded(path)) ?? [];
  return charts.has(cell) ? `#${PLACES.cell(cell)}` : undefined;
}

/** A picture that is embedded in the text itself. */
const WRITTEN_OUT = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

function pictureOf(path: string, beside: FilesBeside): string | undefined {
  if (WRITTEN_OUT.test(path)) return path;
  const type = PICTURES[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
  if (type === undefined || /^[a-z][a-z0-9+.-]*:|^[/#?]/i.test(path)) {
    beside.leaveOut(path);
    return undefined;
  }
  const bytes = beside.read(decoded(path).replace(/^\.\//, ''));
  return bytes === undefined ? undefined : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
