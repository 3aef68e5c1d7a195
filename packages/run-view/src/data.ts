/** What programs without a page need: they run in Node too. */
export { linesOfText } from './frame.ts';
export { lengthOf, signOf, wordOf } from './words.ts';
