/** What a page does besides showing text: colours and search. Without scripts, neither is visible. */
import { keepTheme } from './kept-theme.ts';
import { startSearch } from './search-box.ts';

const button = document.querySelector<HTMLButtonElement>('#theme')!;

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

function showChoice(): void {
  button.ariaPressed = String(isDark());
}

button.addEventListener('click', () => {
  const theme = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  keepTheme(theme);
  showChoice();
});
showChoice();
button.hidden = false;
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
startSearch();
