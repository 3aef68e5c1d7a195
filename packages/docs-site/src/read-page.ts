/** One Markdown file as the content of a page, with everything that other pages and the search need from it. */
import { renderMarkdown } from '@woof/documents/html';
import { highlight } from '@woof/workbook-page';
import { addressOf, fileOfLink, rootFrom } from './addresses.ts';

export interface Link {
  /** As written. */
  text: string;
  /** The file that it refers to; undefined if it leads out of the repository. */
  file: string | undefined;
  anchor: string | undefined;
}

export interface Page {
  /** Its path relative to the repository. */
  file: string;
  address: string;
  title: string;
  html: string;
  headings: { level: number; text: string; id: string }[];
  /** What it links to and shows inside the repository. */
  links: Link[];
}

export function readPage(file: string, text: string): Page {
  const address = addressOf(file);
  const links: Link[] = [];
  const resolve = (written: string) => {
    if (/^(https?|mailto):/.test(written)) return written;
    const [path = '', anchor] = written.split('#');
    const target = fileOfLink(file, path);
    links.push({ text: written, file: target, anchor });
    if (target === undefined) return undefined;
    const there = path === '' ? '' : rootFrom(address) + addressOf(target);
    return anchor === undefined ? there : `${there}#${anchor}`;
  };
  const { html, headings } = renderMarkdown(withoutComments(text), {
    codeOf: highlight,
    linkOf: resolve,
    pictureOf: resolve,
    idOf: anchors(),
  });
  return { file, address, title: headings[0]?.text ?? file, html, headings, links };
}

/** Anchors as GitHub generates them, so that links between files lead to the same places there and here. */
function anchors(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
    const anchor = plain.replaceAll(' ', '-');
    const count = used.get(anchor) ?? 0;
    used.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  };
}

const FENCE = /^(```[\s\S]*?^```)/m;
const COMMENT = /^<!--[\s\S]*?-->\n?/gm;

/** Comments are for those who edit the file. In a fence they are an example. */
function withoutComments(text: string): string {
  const parts = text.split(FENCE);
  return parts.map((part) => (part.startsWith('```') ? part : part.replaceAll(COMMENT, ''))).join('');
}
