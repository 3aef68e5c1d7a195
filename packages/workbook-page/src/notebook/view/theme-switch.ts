/** Light, dark, or the system's setting. The choice lasts as long as the page: keeping it would require storage. */
const system = matchMedia('(prefers-color-scheme: dark)');

export function currentTheme(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : system.matches ? 'dark' : 'light';
}

export function setUpThemeSwitch(button: HTMLButtonElement, onChange: () => void): void {
  const label = () => {
    const next = currentTheme() === 'dark' ? 'light' : 'dark';
    button.setAttribute('aria-label', `Switch to ${next} colours`);
    button.title = `Switch to ${next} colours`;
  };
  const changed = () => {
    label();
    onChange();
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = currentTheme() === 'dark' ? 'light' : 'dark';
    changed();
  });
  system.addEventListener('change', changed);
  label();
  button.hidden = false;
}
