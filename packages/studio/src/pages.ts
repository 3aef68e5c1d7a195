/**
 * The pages of Studio: an address, a name, and what shows it. To add one, add a row and a folder.
 *
 * Those that people open first are in the first load; the others come when they are opened.
 */
import type { RouteName } from '@woof/protocol';
import type { ComponentType } from 'preact';
import { Inbox } from './inbox/inbox.tsx';
import { lazy } from './parts/lazy.tsx';
import { Run } from './run/run.tsx';
import { Runs } from './runs/runs.tsx';
import { may } from './session.ts';

export interface Page {
  path: RegExp;
  title: string;
  show: ComponentType<PageProps>;
  /** Its place among the links on every page. */
  link?: string;
  /** Offered to those who may make this call. */
  needs?: RouteName;
}

export interface PageProps {
  /** What the groups of `path` matched. */
  params: string[];
}

export const PAGES: readonly Page[] = [
  { path: /^\/$/, title: 'Inbox', link: '/', show: Inbox },
  { path: /^\/runs$/, title: 'Runs', link: '/runs', show: Runs },
  { path: /^\/runs\/([^/]+)$/, title: 'Run', show: Run },
  {
    path: /^\/compare$/,
    title: 'Compare',
    show: lazy(async () => (await import('./compare/compare.tsx')).Compare),
  },
  {
    path: /^\/schedules$/,
    title: 'Schedules',
    link: '/schedules',
    show: lazy(async () => (await import('./schedules/schedules.tsx')).Schedules),
  },
  {
    path: /^\/workers$/,
    title: 'Workers',
    link: '/workers',
    show: lazy(async () => (await import('./workers/workers.tsx')).Workers),
  },
  {
    path: /^\/secrets$/,
    title: 'Secrets',
    link: '/secrets',
    needs: 'secrets.list',
    show: lazy(async () => (await import('./secrets/secrets.tsx')).Secrets),
  },
  {
    path: /^\/access$/,
    title: 'Access',
    link: '/access',
    needs: 'tokens.list',
    show: lazy(async () => (await import('./access/access.tsx')).Access),
  },
];

/** Pages that are offered to whoever is signed in. */
export const linkedPages = (): (Page & { link: string })[] =>
  PAGES.filter((page): page is Page & { link: string } => page.link !== undefined && isAllowed(page));

export const isAllowed = ({ needs }: Page): boolean => needs === undefined || may(needs);
