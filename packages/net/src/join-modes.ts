/** The join modes of a step, one row per mode. `tokens.ts` defines what a gathering step waits for. */
const ROWS = {
  /** Fires for every token. */
  each: { gathers: false },
  /** Waits for a token from every incoming arc that can still deliver one. */
  all: { gathers: true },
} satisfies Record<string, { gathers: boolean }>;

export type JoinMode = keyof typeof ROWS;

export const JOIN_MODES = Object.keys(ROWS) as JoinMode[];

/** Whether tokens wait for each other. */
export const gathers = (mode: JoinMode): boolean => ROWS[mode].gathers;
