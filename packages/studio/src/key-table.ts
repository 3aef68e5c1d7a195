/** The keys that `?` and `docs/studio.md` list. */
export interface Key {
  key: string;
  /** One of these must follow. */
  then?: readonly string[];
  about: string;
}

/** `g` and a letter opens the page that begins with it. */
export const KEYS: readonly Key[] = [
  { key: 'Ctrl K', about: 'find a run, a page or an action' },
  { key: '/', about: 'search in this page' },
  { key: 'g', then: ['i', 'r', 's', 'w'], about: 'go to the inbox, runs, schedules, workers' },
  { key: '?', about: 'show these keys' },
  { key: 'Esc', about: 'close what is open' },
];
