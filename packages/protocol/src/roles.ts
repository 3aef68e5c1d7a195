/** Each role includes the rights of those before it. */
export const RANKS = ['viewer', 'operator', 'admin'] as const;

/** A worker may do worker calls and nothing else. */
export const ROLES = [...RANKS, 'worker'] as const;

export type Role = (typeof ROLES)[number];
