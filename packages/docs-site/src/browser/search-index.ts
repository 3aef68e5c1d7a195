/** The sections of all pages, indexed in the browser: the server only sends a file. */
import MiniSearch from 'minisearch';
import type { Section } from '../search-sections.ts';

export interface Found extends Section {
  /** Words found in the section, in lower case. */
  words: string[];
}

const MOST = 12;

export class SearchIndex {
  private readonly index: MiniSearch<Section>;

  constructor(sections: readonly Section[]) {
    this.index = new MiniSearch<Section>({
      fields: ['page', 'heading', 'text'],
      storeFields: ['page', 'heading', 'text'],
      searchOptions: {
        prefix: true,
        fuzzy: (word) => (word.length > 4 ? 0.2 : false),
        combineWith: 'AND',
        boost: { page: 4, heading: 3 },
      },
    });
    this.index.addAll(sections);
  }

  find(words: string): Found[] {
    const found = this.index.search(words).slice(0, MOST);
    return found.map(({ id, page, heading, text, terms }) => ({ id, page, heading, text, words: terms }));
  }
}

export async function loadIndex(url: string): Promise<SearchIndex> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
  return new SearchIndex((await response.json()) as Section[]);
}
