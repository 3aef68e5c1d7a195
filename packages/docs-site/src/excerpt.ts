/** The part of a text that shows why it was found, split into what matched and what did not. */
export interface Piece {
  text: string;
  matches: boolean;
}

const BEFORE = 40;
const LENGTH = 160;

export function excerpt(text: string, words: readonly string[]): Piece[] {
  const pattern = new RegExp(`(${words.map(escaped).join('|')})`, 'giu');
  const first = words.length === 0 ? -1 : text.search(pattern);
  const from = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const shown = text.slice(from, from + LENGTH);
  const whole = `${from > 0 ? '… ' : ''}${shown}${from + LENGTH < text.length ? ' …' : ''}`;
  if (words.length === 0) return [{ text: whole, matches: false }];
  const pieces = whole.split(pattern).map((piece, at) => ({ text: piece, matches: at % 2 === 1 }));
  return pieces.filter((piece) => piece.text !== '');
}

const escaped = (word: string) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
