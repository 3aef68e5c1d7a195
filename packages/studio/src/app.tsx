/** The frame around every page: links, who is signed in, whether the server is there. */
import { useEffect, useRef } from 'preact/hooks';
import { connection, disconnect } from './changes.ts';
import { opened, startKeys } from './keys.ts';
import { AGAIN_MS } from './load.ts';
import { Login } from './login/login.tsx';
import { PageOf } from './page-of.tsx';
import { linkedPages } from './pages.ts';
import { Palette } from './palette/palette.tsx';
import { lazy } from './parts/lazy.tsx';
import { Notices, sayProblem } from './parts/notice.tsx';
import { said } from './parts/said.ts';
import { path } from './router.ts';
import { ask, isStoreLost, me, signOut } from './session.ts';
import { nextTheme, theme } from './theme.ts';

const KeyHelp = lazy(
  async () => (await import('./palette/key-help.tsx')).KeyHelp,
  () => null,
);

export function App() {
  if (me.value === undefined) return <main class="alone" aria-busy="true" />;
  if (me.value === null) return <Login />;
  return <Frame />;
}

function Frame() {
  useEffect(() => disconnect, []);
  useEffect(startKeys, []);
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the links scroll.
    links.current!.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [path.value]);
  const close = () => {
    opened.value = undefined;
  };
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="frame">
        <a class="mark" href="/">
          Woof
        </a>
        <nav aria-label="Pages" ref={links}>
          {linkedPages().map(({ link, title }) => (
            <a key={title} href={link} aria-current={isHere(link) ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="who">
          {connection.value === 'away' && (
            <span class="away" role="status">
              reconnecting…
            </span>
          )}
          <button
            type="button"
            class="quiet"
            data-short="⌕"
            onClick={() => {
              opened.value = 'palette';
            }}
          >
            <span class="long">
              Find <kbd>Ctrl K</kbd>
            </span>
          </button>
          <button
            type="button"
            class="quiet"
            onClick={nextTheme}
            aria-label={`Theme: ${theme.value}`}
            title={`Theme: ${theme.value}`}
          >
            ◐
          </button>
          <span class="name" title={`role: ${me.value!.role}`}>
            {said(me.value!.name)}
          </span>
          <button type="button" class="quiet" data-short="⇥" onClick={() => void signOut().catch(sayProblem)}>
            <span class="long">Sign out</span>
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {isStoreLost.value && <StoreLost />}
        <PageOf path={path.value} />
      </main>
      {opened.value === 'palette' && <Palette onClose={close} />}
      {opened.value === 'help' && <KeyHelp onClose={close} />}
      <Notices />
    </>
  );
}

function StoreLost() {
  useEffect(() => {
    const timer = setInterval(() => void ask('executions.counts').catch(() => {}), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="away-banner" role="status">
      <strong>The server lost its store.</strong> This page may be out of date, and nothing can be changed.
      Studio continues by itself when the store answers; the server log says why it does not.
    </p>
  );
}

const isHere = (link: string): boolean =>
  link === '/' ? path.value === '/' : path.value === link || path.value.startsWith(`${link}/`);
