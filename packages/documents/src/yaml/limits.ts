/** Limits for a text, so that reading any text ends soon and never exhausts the stack. */
export const MAX_CHARACTERS = 8 * 1024 * 1024;
export const MAX_DEPTH = 200;
/** How many values aliases may add to those that are written. */
export const MAX_ALIASED = 100_000;
