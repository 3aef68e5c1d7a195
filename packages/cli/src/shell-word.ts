/** Quotes a word for a shell, for commands that a person copies. */
export function shellWord(word: string): string {
  return /^[\w./@-][\w./@=-]*$/.test(word) && !word.startsWith('-')
    ? word
    : `'${word.replaceAll("'", `'\\''`)}'`;
}
