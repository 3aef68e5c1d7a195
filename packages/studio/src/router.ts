/** Where the person is: the address is the state, so that every page can be sent to somebody. */
import { computed, signal } from '@preact/signals';

const here = signal(new URL(location.href));

export const path = computed(() => here.value.pathname);
export const query = computed(() => here.value.searchParams);

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  const target = new URL(href, location.href);
  if (target.origin !== location.origin) return;
  if (target.href === location.href) return;
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', target);
  here.value = target;
}

/** Changes parts of the query; an empty value takes its part away. */
export function setQuery(change: Record<string, string | undefined>, how: 'push' | 'replace' = 'push'): void {
  const target = new URL(location.href);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') target.searchParams.delete(name);
    else target.searchParams.set(name, value);
  }
  go(target.href, how);
}

/** Whether the server answers this address with a page of Studio. */
const isPage = ({ pathname }: URL) =>
  !/^\/(v1|docs|studio|metrics|openapi\.json|healthz|readyz)(\/|$)/.test(pathname);

function follow(event: MouseEvent): void {
  const link = (event.target as Element).closest?.('a');
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.target || link.hasAttribute('download') || event.defaultPrevented) return;
  const target = new URL(link.href, location.href);
  const isSamePage = target.pathname === location.pathname && target.hash !== '';
  if (target.origin !== location.origin || !isPage(target) || isSamePage) return;
  event.preventDefault();
  go(target.href);
  document.querySelector('main')?.scrollTo(0, 0);
}

export function startRouter(): void {
  addEventListener('popstate', () => {
    here.value = new URL(location.href);
  });
  document.addEventListener('click', follow);
}
