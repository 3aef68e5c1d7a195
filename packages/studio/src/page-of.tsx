/** Shows the page of an address: at once, or when its code is there. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { isAllowed, PAGES, type Page, type PageProps } from './pages.ts';
import { ProblemBox } from './parts/problem.tsx';
import { Skeleton } from './parts/skeleton.tsx';

const come = signal(new Map<Page, ComponentType<PageProps>>());
const failed = signal<unknown>(undefined);

export function PageOf({ path }: { path: string }) {
  const page = PAGES.find((one) => one.path.test(path));
  useEffect(() => {
    document.title = page ? `${page.title} · Woof` : 'Not found · Woof';
  }, [page]);
  if (page === undefined || !isAllowed(page)) return <NotFound />;
  const Shown = page.lazy ? come.value.get(page) : (page.show as ComponentType<PageProps>);
  if (Shown === undefined) return <Coming page={page} />;
  const params = paramsOf(page, path);
  if (params === undefined) return <NotFound />;
  return <Shown key={path} params={params} />;
}

function Coming({ page }: { page: Page }) {
  const load = async () => {
    try {
      const shown = await (page.show as () => Promise<ComponentType<PageProps>>)();
      come.value = new Map(come.value).set(page, shown);
      failed.value = undefined;
    } catch (error) {
      failed.value = error;
    }
  };
  useEffect(() => void load(), [page]);
  return failed.value === undefined ? <Skeleton /> : <ProblemBox error={failed.value} again={load} />;
}

/** Undefined: the address is not one. */
function paramsOf(page: Page, path: string): string[] | undefined {
  try {
    return page.path.exec(path)!.slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function NotFound() {
  return (
    <div class="empty">
      <h1>Page not found</h1>
      <p>
        <a href="/">Go to the inbox</a> or <a href="/runs">to the runs</a>.
      </p>
    </div>
  );
}
