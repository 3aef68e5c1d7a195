/** A word of a command that a person may copy, as a shell reads it. */
export function shellWord(word: string): string {
  return /^[\w./@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
