/** What a schedule may be told to do; documents, engine, API and command line read it here. */

/** What becomes of times that nobody was there for. */
export const CATCH_UPS = ['skip', 'last', 'all'] as const;
/** What becomes of a time while an earlier run still goes on. */
export const OVERLAPS = ['allow', 'skip', 'queue', 'cancel'] as const;

export type CatchUp = (typeof CATCH_UPS)[number];
export type Overlap = (typeof OVERLAPS)[number];
