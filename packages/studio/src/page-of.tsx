/** Shows the page of an address. */
import { useEffect } from 'preact/hooks';
import { isAllowed, PAGES, type Page } from './pages.ts';

export function PageOf({ path }: { path: string }) {
  const page = PAGES.find((one) => one.path.test(path));
  useEffect(() => {
    document.title = page ? `${page.title} · Woof` : 'Not found · Woof';
  }, [page]);
  if (page === undefined || !isAllowed(page)) return <NotFound />;
  const { show: Shown } = page;
  const params = paramsOf(page, path);
  if (params === undefined) return <NotFound />;
  return <Shown key={path} params={params} />;
}

/** Undefined if the path does not match the page. */
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
