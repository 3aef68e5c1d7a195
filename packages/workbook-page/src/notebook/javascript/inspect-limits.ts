/** Node's defaults; lists are longer, as in the JavaScript kernel. */
export const LINE = 80;
export const DEEPEST = 2;
export const MOST_ITEMS = 1000;
export const MOST_CHARACTERS = 10_000;
/** How many levels may be on one line. */
export const LEVELS_IN_LINE = 3;
