/** Pages and actions that fit what was typed. */
import { opened } from '../keys.ts';
import { linkedPages } from '../pages.ts';
import { sayProblem } from '../parts/notice.tsx';
import { go } from '../router.ts';
import { signOut } from '../session.ts';
import { nextTheme } from '../theme.ts';

export interface Choice {
  title: string;
  about: string;
  act: () => void;
}

export function choicesFor(text: string): Choice[] {
  const wanted = text.trim().toLowerCase();
  return [...pages(), ...actions()].filter(({ title }) => title.toLowerCase().includes(wanted));
}

function pages(): Choice[] {
  return linkedPages().map(({ link, title }) => ({
    title,
    about: 'page',
    act: () => go(link),
  }));
}

function actions(): Choice[] {
  const help = () => {
    opened.value = 'help';
  };
  return [
    { title: 'Compare two runs', about: 'page', act: () => go('/compare') },
    { title: 'Documentation', about: 'page', act: () => location.assign('/docs/') },
    { title: 'Change the theme', about: 'action', act: nextTheme },
    { title: 'Show the keys', about: 'action', act: help },
    { title: 'Sign out', about: 'action', act: () => void signOut().catch(sayProblem) },
  ];
}
