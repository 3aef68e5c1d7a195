/** The colours that the reader chose. A browser may have storage disabled; then the choice ends with the page. */
export type Theme = 'light' | 'dark';

const KEY = 'woof-docs-theme';

export function keptTheme(): Theme | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The page itself still shows the choice.
  }
}
