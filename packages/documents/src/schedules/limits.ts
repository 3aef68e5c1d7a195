/** Limits of what a document may declare; the reader and the published schema share them. */
export const MOST_SCHEDULES = 100;
/** Part of an id at the server, after the path of the document. */
export const NAME = /^[A-Za-z0-9_-]{1,50}$/;
export const PRIORITIES = { least: -1000, most: 1000 };
