/** Words that other tools and languages use for names and values of templates. */
const MEANT: Readonly<Record<string, string>> = {
  output: 'outcome',
  null: 'none',
  nil: 'none',
  secret: 'keychain',
  secrets: 'keychain',
};

export const isForeignName = (name: string): boolean => Object.hasOwn(MEANT, name);

export const meantBy = (name: string): string | undefined => (isForeignName(name) ? MEANT[name] : undefined);
