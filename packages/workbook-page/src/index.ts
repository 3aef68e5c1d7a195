/** What the builder and the page agree on. The pages themselves are programs of their own: `<name>/main.ts`. */
export { type LogEntry, type RunData, type RunFile, toRunFiles } from './report/run-data.ts';
export { lengthOf, signOf, wordOf } from './report/words.ts';
