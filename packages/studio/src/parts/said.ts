/** Text from documents and runs for one line of a page: limited in length, and nothing in it controls the page. */
import { plainText } from '@woof/run-view';

const LONGEST = 200;

export const said = (text: string, longest = LONGEST): string =>
  plainText(text.length > longest ? `${text.slice(0, longest)}…` : text);
