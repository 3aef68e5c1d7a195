/** The colours and fonts of the page, for drawing on a canvas. */
export interface Look {
  /** A name of `theme.css`, without its dashes. */
  colour(name: string): string;
  mono: string;
}

export function lookOf(element: HTMLElement): Look {
  const known = new Map<string, string>();
  const probe = document.createElement('span');
  probe.hidden = true;
  element.parentElement!.append(probe);
  const style = getComputedStyle(probe);
  const colour = (name: string) => {
    // Only a real property gives the colour of the theme in use.
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  for (const name of NAMES) known.set(name, colour(name));
  const mono = style.getPropertyValue('--mono') || 'monospace';
  probe.remove();
  return { colour: (name) => known.get(name) ?? 'gray', mono };
}

const NAMES = [
  'ink',
  'soft',
  'panel',
  'raised',
  'line',
  'strong-line',
  'accent',
  'good',
  'bad',
  'busy',
  'wait',
];

/** Calls back when the page changes between light and dark. Returns a function that stops this. */
export function onTheme(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const own = new MutationObserver(changed);
  system.addEventListener('change', changed);
  own.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', changed);
    own.disconnect();
  };
}
