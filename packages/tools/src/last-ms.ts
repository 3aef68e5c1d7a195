/** The largest time that a Date can hold. */
export const LAST_MS = 8.64e15;
