/** The search field and the list below it. The index is loaded when the reader begins to search. */
import { excerpt } from '../excerpt.ts';
import { type Found, loadIndex, type SearchIndex } from './search-index.ts';

export function startSearch(): void {
  const box = document.querySelector<HTMLElement>('search')!;
  const input = box.querySelector('input')!;
  const list = document.querySelector<HTMLElement>('#found')!;
  const root = document.documentElement.dataset.root ?? '';
  let index: Promise<SearchIndex> | undefined;
  const load = () => {
    index ??= loadIndex(`${root}search.json`);
    return index;
  };

  const show = async () => {
    const words = input.value.trim();
    list.hidden = words === '';
    if (words === '') return;
    try {
      const found = (await load()).find(words);
      if (words === input.value.trim()) list.replaceChildren(...listed(found, words, root));
    } catch {
      index = undefined;
      list.replaceChildren(said('The search index did not load. Check the connection and type again.'));
    }
  };
  const close = () => {
    input.value = '';
    list.hidden = true;
  };

  input.addEventListener('focus', () => void load().catch(() => {}));
  input.addEventListener('input', () => void show());
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event, box);
  });
  box.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a')) close();
  });
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target as Node)) list.hidden = true;
  });
  document.addEventListener('keydown', (event) => focusOn(event, input));
  box.hidden = false;
}

/** `/` and Ctrl-K focus the search, but not while the reader is typing elsewhere. */
function focusOn(event: KeyboardEvent, input: HTMLInputElement): void {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
  const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!isAsked) return;
  event.preventDefault();
  input.focus();
}

function move(event: KeyboardEvent, box: HTMLElement): void {
  const stops = [...box.querySelectorAll<HTMLElement>('input, a')];
  const next = stops.indexOf(event.target as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
  event.preventDefault();
  stops[next]?.focus();
}

function listed(found: readonly Found[], words: string, root: string): HTMLElement[] {
  if (found.length === 0) return [said(`No page has “${words}”.`)];
  return found.map(({ id, page, heading, text, words: matched }) => {
    const link = document.createElement('a');
    link.href = root + id;
    const title = document.createElement('strong');
    title.textContent = heading === '' ? page : `${page} › ${heading}`;
    const lines = document.createElement('span');
    lines.append(...excerpt(text, matched).map(pieceOf));
    link.append(title, lines);
    return link;
  });
}

function pieceOf({ text, matches }: { text: string; matches: boolean }): Node {
  if (!matches) return document.createTextNode(text);
  const mark = document.createElement('mark');
  mark.textContent = text;
  return mark;
}

function said(text: string): HTMLElement {
  const line = document.createElement('p');
  line.role = 'status';
  line.textContent = text;
  return line;
}
