/** Light or dark: as the system says, unless the person says otherwise. */
import { effect, signal } from '@preact/signals';

const NAME = 'woof-theme';
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(NAME)) ?? 'system');

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}

effect(() => {
  localStorage.setItem(NAME, theme.value);
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
