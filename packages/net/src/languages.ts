/** The languages that Woof runs itself, one row per language: their names, and how code reaches a value of another cell. */
export interface Language {
  /** For readers. */
  title: string;
  /** Other names that people have for it. */
  aliases: readonly string[];
  /** A variable of a cell of another language, which is bound as `base`. */
  member(base: string, name: string): string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: {
    title: 'Python',
    aliases: ['python3', 'py'],
    member: (base, name) => `${base}["${name}"]`,
  },
  javascript: {
    title: 'JavaScript',
    aliases: ['js', 'node', 'nodejs'],
    member: (base, name) => `${base}.${name}`,
  },
  bash: {
    title: 'Bash',
    aliases: ['sh', 'shell'],
    member: (base, name) => `\${${base}[${name}]}`,
  },
  r: {
    title: 'R',
    aliases: ['rscript'],
    member: (base, name) => `${base}$${name}`,
  },
};

/** Of a cell and a header that name none. */
export const DEFAULT_LANGUAGE = 'python';

/** Titles of languages that only Jupyter kernels run, if they are not their names. */
const OTHER_TITLES: ReadonlyMap<string, string> = new Map([['sql', 'SQL']]);

const CANONICAL: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([language, { aliases }]) =>
    [language, ...aliases].map((name) => [name, language]),
  ),
);

/** Cells share a kernel by this name, however each of them spells its language. */
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
