/** What programs without a page need: they run in Node too. */
export { lengthOf, signOf, wordOf } from './words.ts';
