/** Shows the page of an address. */
import { ROUTES, type RouteName } from '@woof/protocol';
import { useEffect } from 'preact/hooks';
import { isAllowed, PAGES, type Page } from './pages.ts';
import { me } from './session.ts';

export function PageOf({ path }: { path: string }) {
  const page = PAGES.find((one) => one.path.test(path));
  useEffect(() => {
    document.title = page ? `${page.title} · Woof` : 'Not found · Woof';
  }, [page]);
  if (page === undefined) return <NotFound />;
  if (!isAllowed(page)) return <NotAllowed needs={page.needs!} />;
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

function NotAllowed({ needs }: { needs: RouteName }) {
  return (
    <div class="empty">
      <h1>Your role cannot open this page</h1>
      <p>
        This page needs the role {ROUTES[needs].role}; your token has the role {me.value!.role}.
      </p>
    </div>
  );
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
