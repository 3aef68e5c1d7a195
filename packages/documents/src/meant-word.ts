/** The known word that somebody meant who knows another tool, or who made a slip. */
import { didYouMean } from '@woof/expr/nearest';

export const hintWith =
  (meant: Readonly<Record<string, string>>) =>
  (word: string, known: readonly string[]): string | undefined =>
    Object.hasOwn(meant, word) && known.includes(meant[word]!)
      ? `did you mean "${meant[word]}"?`
      : didYouMean(word, known);
