/**
 * An event stream sends something at least this often, so that its listener can tell a quiet run from a dead server.
 */
export const KEEP_ALIVE_MS = 4000;
