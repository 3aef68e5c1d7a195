/** The words of the format: keys in their canonical order, effects, languages. Cell types are in `net`. */
export const HEADER_KEYS = [
  'name',
  'language',
  'env',
  'parameters',
  'defaults',
  'execution',
  'io_policy',
  'provenance',
  'metadata',
  'tags',
  'version',
] as const;

export const TOKEN_KEYS = [
  'id',
  'type',
  'name',
  'deps',
  'timeout',
  'memory_mb',
  'sidefx',
  'tags',
  'retries',
  'priority',
  'disabled',
  'lang',
  'kernel',
] as const;

export const RESERVED_KEYS: readonly string[] = ['schedule', 'checkpoint', 'mounts'];

export const EFFECTS = ['none', 'fs', 'net', 'shell', 'isolated'] as const;

export const ORDERS = ['linear', 'graph'] as const;
export const CACHES = ['content-hash', 'none'] as const;

/** Names that lint takes for correctly spelled. Woof itself runs only a few of them (`languages.ts` in `net`). */
export const LANGUAGE_NAMES = [
  ...['python', 'r', 'julia', 'bash', 'shell', 'sql', 'javascript', 'typescript', 'ruby', 'rust', 'go'],
  ...[
    'scala',
    'java',
    'kotlin',
    'perl',
    'lua',
    'haskell',
    'octave',
    'matlab',
    'c',
    'cpp',
    'csharp',
    'fsharp',
  ],
];

export const ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

/** Keys in canonical order, then all others in their original order. */
export function canonicalOrder<Item>(
  items: readonly Item[],
  keys: readonly string[],
  keyOf: (item: Item) => string,
): Item[] {
  const rank = (item: Item) => {
    const at = keys.indexOf(keyOf(item));
    return at === -1 ? keys.length : at;
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}
