/** Keys that work on every page, except while the user types in a field. */
import { signal } from '@preact/signals';
import { linkedPages } from './pages.ts';
import { go } from './router.ts';

export const opened = signal<'palette' | 'help' | undefined>(undefined);

const GO_MS = 1500;
let goUntil = 0;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|range|button)$/.test(target.type);
  return /^(textarea|select)$/i.test(target.tagName) || target.isContentEditable;
}

function pressed(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    opened.value = opened.value === 'palette' ? undefined : 'palette';
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || opened.value) return;
  if (document.querySelector('dialog[open]')) return;
  if (Date.now() < goUntil && openPage(event.key)) event.preventDefault();
  else if (event.key === '?') opened.value = 'help';
  else if (event.key === '/') focusSearch(event);
  goUntil = event.key === 'g' ? Date.now() + GO_MS : 0;
}

function openPage(key: string): boolean {
  const page = linkedPages().find(({ title }) => title.toLowerCase().startsWith(key));
  if (page) go(page.link);
  return page !== undefined;
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (!field) return;
  event.preventDefault();
  field.focus();
}

export function startKeys(): () => void {
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}
