/** Numbered steps of the schema; `PRAGMA user_version` says how far a file is. Never change one that has shipped. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE executions (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    parent TEXT,
    row TEXT NOT NULL
  );
  CREATE TABLE plans (hash TEXT PRIMARY KEY, plan TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE frames (id INTEGER PRIMARY KEY, no INTEGER NOT NULL, length INTEGER NOT NULL, events TEXT NOT NULL);
  CREATE TABLE places (key INTEGER PRIMARY KEY, frame INTEGER NOT NULL);
  CREATE TABLE snapshots (no INTEGER PRIMARY KEY, seq INTEGER NOT NULL, state TEXT NOT NULL);
  `,
];
