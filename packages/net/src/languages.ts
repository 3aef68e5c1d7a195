/**
 * The built-in languages, one row per language: their names, and how code refers to a value of another cell. How they
 * run is defined in `kernels` (`languages.ts`).
 */
export interface Language {
  /** The name that readers see. */
  title: string;
  /** Other names that people use for it. */
  aliases: readonly string[];
  /** A variable of a cell in another language, which is bound as `base`. */
  member(base: string, name: string): string;
  /** The value of a cell, whatever its id. */
  ofWoof(id: string): string;
}

const ROWS = {
  python: {
    title: 'Python',
    aliases: ['python3', 'py'],
    member: (base, name) => `${base}["${name}"]`,
    ofWoof: (id) => `woof["${id}"]`,
  },
  javascript: {
    title: 'JavaScript',
    aliases: ['js', 'node', 'nodejs'],
    member: (base, name) => `${base}.${name}`,
    ofWoof: (id) => `woof["${id}"]`,
  },
  bash: {
    title: 'Bash',
    aliases: ['sh', 'shell'],
    member: (base, name) => `\${${base}[${name}]}`,
    ofWoof: (id) => `\${woof["${id}"]}`,
  },
  r: {
    title: 'R',
    aliases: ['rscript'],
    member: (base, name) => `${base}$${name}`,
    ofWoof: (id) => `woof[["${id}"]]`,
  },
} satisfies Record<string, Language>;

export type BuiltInLanguage = keyof typeof ROWS;

const LANGUAGES: Readonly<Record<string, Language>> = ROWS;

/** Used if neither the cell nor the header names a language. */
export const DEFAULT_LANGUAGE = 'python';

/** Titles of languages that only Jupyter kernels run, if they differ from the names. */
const OTHER_TITLES: ReadonlyMap<string, string> = new Map([['sql', 'SQL']]);

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([language, { aliases }]) =>
    [language, ...aliases].map((name) => [name, language]),
  ),
);

/** Cells share a kernel under this name, however each of them spells its language. */
export function canonicalLanguage(name: string): string {
  const lower = name.toLowerCase();
  return CANONICAL.get(lower) ?? lower;
}

export function languageTitle(language: string): string {
  return languageNamed(language)?.title ?? OTHER_TITLES.get(language) ?? language;
}

export function languageNamed(language: string): Language | undefined {
  return Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
}
