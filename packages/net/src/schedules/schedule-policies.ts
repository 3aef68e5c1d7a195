/** The policies that a schedule may have; documents, engine, API and command line read them here. */

/** What happens to times that were missed because nothing was running. */
export const CATCH_UPS = ['skip', 'last', 'all'] as const;
/** What happens when the time comes while an earlier run is still in progress. */
export const OVERLAPS = ['allow', 'skip', 'queue', 'cancel'] as const;

export type CatchUp = (typeof CATCH_UPS)[number];
export type Overlap = (typeof OVERLAPS)[number];
