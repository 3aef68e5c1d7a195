/** Finds the known word that the author meant: a typo, or a word of another tool. */
import { didYouMean } from '@woof/expr/nearest';

export const hintWith =
  (meant: Readonly<Record<string, string>>) =>
  (word: string, known: readonly string[]): string | undefined =>
    Object.hasOwn(meant, word) && known.includes(meant[word]!)
      ? `did you mean "${meant[word]}"?`
      : didYouMean(word, known);
