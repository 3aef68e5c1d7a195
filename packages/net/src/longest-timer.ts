/** A timer that is set for longer fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
