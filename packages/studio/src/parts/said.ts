/** What documents and runs say of themselves, for one line of a page: no longer than this, and nothing in it steers the page. */
import { plainText } from '@woof/run-view';

const LONGEST = 200;

export const said = (text: string, longest = LONGEST): string =>
  plainText(text.length > longest ? `${text.slice(0, longest)}…` : text);
