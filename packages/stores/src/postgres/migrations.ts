/** Numbered steps of the schema; `woof.schema` says how far a database is. Never change one that has shipped. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE FUNCTION woof.now_ms() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE AS
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

  CREATE TABLE woof.executions (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    row jsonb NOT NULL,
    status text NOT NULL GENERATED ALWAYS AS (row ->> 'status') STORED,
    parent text COLLATE "C" GENERATED ALWAYS AS (row ->> 'parent') STORED,
    path text COLLATE "C" GENERATED ALWAYS AS (row ->> 'path') STORED,
    driver text COLLATE "C" GENERATED ALWAYS AS (row ->> 'driver') STORED,
    due_at float8 GENERATED ALWAYS AS ((row ->> 'due_at')::float8) STORED,
    -- The call that gave it to its driver.
    taken text
  );
  CREATE INDEX executions_by_status ON woof.executions (status, no);
  CREATE INDEX executions_of_parent ON woof.executions (parent) WHERE parent IS NOT NULL;
  CREATE INDEX executions_of_path ON woof.executions (path) WHERE path IS NOT NULL;
  CREATE INDEX running_by_driver ON woof.executions (driver, no) WHERE status = 'running';
  CREATE INDEX running_by_time ON woof.executions (driver, due_at) WHERE status = 'running' AND due_at IS NOT NULL;

  -- Only ever inserted into: the key is what keeps two writers from appending at the same place.
  CREATE TABLE woof.frames (
    no bigint NOT NULL,
    seq bigint NOT NULL,
    length integer NOT NULL,
    events text NOT NULL,
    PRIMARY KEY (no, seq)
  );
  CREATE TABLE woof.plans (hash text COLLATE "C" PRIMARY KEY, plan text NOT NULL);
  CREATE TABLE woof.snapshots (no bigint PRIMARY KEY, seq bigint NOT NULL, state text NOT NULL);
  -- Beside the rows, so that waking an execution never waits for its driver's append.
  CREATE TABLE woof.wakes (no bigint NOT NULL);

  CREATE TABLE woof.members (
    id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL,
    info text NOT NULL,
    since bigint NOT NULL,
    seen_at bigint NOT NULL,
    until bigint NOT NULL
  );
  CREATE TABLE woof.records (
    collection text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (collection, key)
  );

  CREATE TABLE woof.permits (
    key text COLLATE "C" NOT NULL,
    holder text COLLATE "C" NOT NULL,
    member text COLLATE "C" NOT NULL,
    member_since bigint NOT NULL,
    since bigint NOT NULL,
    PRIMARY KEY (key, holder)
  );
  CREATE TABLE woof.gates (key text COLLATE "C" PRIMARY KEY, next_at float8 NOT NULL);

  -- A permit does not outlive a gap in the presence of its member.
  CREATE VIEW woof.held AS
    SELECT p.* FROM woof.permits p JOIN woof.members m ON m.id = p.member AND m.since = p.member_since
    WHERE m.until > woof.now_ms();

  -- Statements of a function see what was committed while it waited for the lock.
  CREATE FUNCTION woof.enter_permit(
    the_key text, the_holder text, the_member text, concurrency float8, interval_ms float8, ask_again_ms bigint
  ) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    now_ms bigint;
    present_since bigint;
    opens_at float8;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('woof.permits'), hashtext(the_key));
    now_ms := woof.now_ms();
    SELECT m.since INTO present_since FROM woof.members m WHERE m.id = the_member AND m.until > now_ms;
    IF present_since IS NULL THEN RETURN ask_again_ms; END IF;
    DELETE FROM woof.permits p WHERE p.key = the_key
      AND NOT EXISTS (SELECT 1 FROM woof.held h WHERE h.key = p.key AND h.holder = p.holder);
    IF EXISTS (SELECT 1 FROM woof.permits p WHERE p.key = the_key AND p.holder = the_holder) THEN RETURN 0; END IF;
    IF (SELECT count(*) FROM woof.permits p WHERE p.key = the_key) >= concurrency THEN RETURN ask_again_ms; END IF;
    IF interval_ms IS NOT NULL THEN
      SELECT g.next_at INTO opens_at FROM woof.gates g WHERE g.key = the_key;
      IF opens_at > now_ms THEN RETURN ceil(opens_at - now_ms); END IF;
      INSERT INTO woof.gates VALUES (the_key, now_ms + interval_ms)
        ON CONFLICT (key) DO UPDATE SET next_at = excluded.next_at;
    END IF;
    INSERT INTO woof.permits VALUES (the_key, the_holder, the_member, present_since, now_ms);
    RETURN 0;
  END $$;
  `,
  `
  CREATE TABLE woof.blobs (digest text COLLATE "C" PRIMARY KEY, upload text NOT NULL, size bigint NOT NULL);
  CREATE TABLE woof.chunks (
    upload text COLLATE "C" NOT NULL,
    no integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (upload, no)
  );
  ALTER TABLE woof.chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  -- Uploads under way, or left behind by a process that died.
  CREATE TABLE woof.uploads (upload text COLLATE "C" PRIMARY KEY, seen_at bigint NOT NULL);
  `,
  // A column of its own: an index over the row itself would make every change of a row write to all indexes.
  `
  ALTER TABLE woof.executions
    ADD COLUMN wanting boolean GENERATED ALWAYS AS (jsonb_typeof(row -> 'wants') = 'object') STORED;
  CREATE INDEX executions_wanting ON woof.executions (no) WHERE wanting;
  `,
];
