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
  // Values that only filters use are read out of the row. Values with an index are columns, because extracting them
  // from the row at each write costs 15 µs.
  `
  ALTER TABLE executions ADD COLUMN kind TEXT AS (row ->> '$.kind');
  ALTER TABLE executions ADD COLUMN name TEXT AS (row ->> '$.name');
  ALTER TABLE executions ADD COLUMN wants TEXT AS (row ->> '$.wants');
  ALTER TABLE executions ADD COLUMN path TEXT;
  ALTER TABLE executions ADD COLUMN driver TEXT;
  ALTER TABLE executions ADD COLUMN due_at REAL;
  UPDATE executions SET path = row ->> '$.path', driver = row ->> '$.driver', due_at = row ->> '$.due_at';
  CREATE INDEX executions_of_parent ON executions (parent) WHERE parent IS NOT NULL;
  CREATE INDEX executions_of_path ON executions (path) WHERE path IS NOT NULL;
  CREATE INDEX running_by_driver ON executions (driver) WHERE status = 'running';
  CREATE INDEX running_by_time ON executions (driver, due_at) WHERE status = 'running' AND due_at IS NOT NULL;
  CREATE TABLE wakes (no INTEGER PRIMARY KEY);
  CREATE TABLE members (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    info TEXT NOT NULL,
    since INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE permits (
    key TEXT NOT NULL,
    holder TEXT NOT NULL,
    member TEXT NOT NULL,
    member_since INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (key, holder)
  ) WITHOUT ROWID;
  CREATE TABLE gates (key TEXT PRIMARY KEY, next_at REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE records (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (collection, key)
  ) WITHOUT ROWID;
  `,
  // Lists: lists/list-page.ts. Existing rows have the change 0, which precedes every other.
  `
  ALTER TABLE executions ADD COLUMN inputs TEXT;
  ALTER TABLE executions ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX executions_by_change ON executions (changed);
  CREATE TABLE status_counts (status TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO status_counts SELECT status, count(*) FROM executions WHERE parent IS NULL GROUP BY status;
  CREATE TABLE list_watermark (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), changed INTEGER NOT NULL, no INTEGER NOT NULL);
  INSERT INTO list_watermark VALUES (1, 0, 0);
  CREATE TABLE list_postings (
    block INTEGER NOT NULL,
    term TEXT NOT NULL,
    rows BLOB NOT NULL,
    PRIMARY KEY (block, term)
  ) WITHOUT ROWID;
  CREATE TABLE list_blocks (
    block INTEGER PRIMARY KEY,
    started_from REAL,
    started_to REAL,
    ended_from REAL,
    ended_to REAL,
    ids BLOB NOT NULL
  );
  `,
];
