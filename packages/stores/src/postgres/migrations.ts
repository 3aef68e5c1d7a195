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
  // A separate column: an index over the row itself would make every change of a row write to all indexes.
  `
  ALTER TABLE woof.executions
    ADD COLUMN wanting boolean GENERATED ALWAYS AS (jsonb_typeof(row -> 'wants') = 'object') STORED;
  CREATE INDEX executions_wanting ON woof.executions (no) WHERE wanting;
  `,
  // Lists: lists/list-page.ts. A change has the number of its transaction: existing rows have 0, and rows that a server
  // of an older version inserts have their own. Counts are spread over several rows, so that servers do not wait for
  // each other.
  `
  ALTER TABLE woof.executions ADD COLUMN inputs text, ADD COLUMN changed bigint NOT NULL DEFAULT 0;
  ALTER TABLE woof.executions ALTER COLUMN changed SET DEFAULT txid_current();
  CREATE INDEX executions_by_change ON woof.executions (changed, no);
  CREATE TABLE woof.status_counts (
    part integer NOT NULL,
    status text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (part, status)
  );
  INSERT INTO woof.status_counts SELECT 0, status, count(*) FROM woof.executions WHERE parent IS NULL GROUP BY status;
  CREATE TABLE woof.list_watermark (
    only_one integer PRIMARY KEY CHECK (only_one = 1),
    changed bigint NOT NULL,
    no bigint NOT NULL
  );
  CREATE TABLE woof.list_postings (
    block bigint NOT NULL,
    term text COLLATE "C" NOT NULL,
    rows bytea NOT NULL,
    PRIMARY KEY (block, term)
  );
  CREATE TABLE woof.list_blocks (
    block bigint PRIMARY KEY,
    started_from float8,
    started_to float8,
    ended_from float8,
    ended_to float8,
    ids bytea NOT NULL
  );
  ALTER TABLE woof.list_blocks ALTER COLUMN ids SET STORAGE EXTERNAL;
  `,
  // Separate rows, so that the database finds a step, a text or the last lines. A line's text is searched in the C
  // collation, which costs a tenth of others. Lines in records move here; what the JSON of Postgres refuses (NUL) has
  // the form that plain-text.ts gives it.
  `
  CREATE TABLE woof.log_lines (
    execution bigint NOT NULL,
    no bigint GENERATED ALWAYS AS IDENTITY,
    written_at bigint NOT NULL,
    at text NOT NULL,
    step text COLLATE "C" NOT NULL,
    job_id text NOT NULL,
    task_run_id text NOT NULL,
    stream text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    PRIMARY KEY (execution, no)
  );
  CREATE INDEX log_lines_of_step ON woof.log_lines (execution, step, no);
  CREATE INDEX log_lines_by_time ON woof.log_lines USING brin (written_at);

  INSERT INTO woof.log_lines (execution, written_at, at, step, job_id, task_run_id, stream, text)
    SELECT e.no, substring(r.key FROM '/([0-9]+)-[^/]*$')::bigint,
      l.line ->> 'at', l.line ->> 'step', l.line ->> 'job_id', l.line ->> 'task_run_id', l.line ->> 'stream',
      l.line ->> 'text'
    FROM woof.records r
      JOIN woof.executions e ON e.id = regexp_replace(r.key, '/[^/]*$', ''),
      json_array_elements(regexp_replace(
        r.value, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(0000|001a|d[89a-f][0-9a-f]{2})', '\\1\\\\u001a\\2', 'g'
      )::json -> 'lines') WITH ORDINALITY AS l(line, place)
    WHERE r.collection = 'logs' ORDER BY r.key, l.place;
  DELETE FROM woof.records WHERE collection = 'logs';

  -- One writer per execution at a time: a reader that has seen a line has seen all lines with lower numbers.
  CREATE FUNCTION woof.add_log_lines(
    the_id text, the_at text[], steps text[], jobs text[], task_runs text[], streams text[], texts text[]
  ) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    the_execution bigint;
    now_ms bigint := woof.now_ms();
  BEGIN
    SELECT e.no INTO the_execution FROM woof.executions e WHERE e.id = the_id;
    IF the_execution IS NULL THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('woof.log_lines'), hashint8(the_execution));
    INSERT INTO woof.log_lines (execution, written_at, at, step, job_id, task_run_id, stream, text)
      SELECT the_execution, now_ms, l.at, l.step, l.job, l.task_run, l.stream, l.text
      FROM unnest(the_at, steps, jobs, task_runs, streams, texts)
        WITH ORDINALITY AS l(at, step, job, task_run, stream, text, place)
      ORDER BY l.place;
  END $$;
  `,
  // The number of an execution tells on which day its period began: 2^33 numbers per day. A period is a partition of
  // frames and one of snapshots, named after its first day. Existing data is the period of day 0, which lasts until a
  // server removes runs for the first time (postgres-retention.ts).
  `
  ALTER TABLE woof.frames RENAME TO frames_19700101;
  ALTER TABLE woof.frames_19700101 RENAME CONSTRAINT frames_pkey TO frames_19700101_pkey;
  CREATE TABLE woof.frames (LIKE woof.frames_19700101, PRIMARY KEY (no, seq)) PARTITION BY RANGE (no);
  ALTER TABLE woof.frames ATTACH PARTITION woof.frames_19700101 FOR VALUES FROM (0) TO (8589934592);
  ALTER TABLE woof.snapshots RENAME TO snapshots_19700101;
  ALTER TABLE woof.snapshots_19700101 RENAME CONSTRAINT snapshots_pkey TO snapshots_19700101_pkey;
  CREATE TABLE woof.snapshots (LIKE woof.snapshots_19700101, PRIMARY KEY (no)) PARTITION BY RANGE (no);
  ALTER TABLE woof.snapshots ATTACH PARTITION woof.snapshots_19700101 FOR VALUES FROM (0) TO (8589934592);

  CREATE INDEX executions_rerun ON woof.executions (((row ->> 'rerun_of') COLLATE "C")) WHERE row ->> 'rerun_of' IS NOT NULL;

  CREATE VIEW woof.periods AS
    SELECT substring(c.relname FROM '[0-9]+$') AS name, bound[1]::bigint AS first_no, bound[2]::bigint AS end_no,
      lead(bound[1]::bigint) OVER (ORDER BY bound[1]::bigint) / 8589934592 AS closed_on
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    CROSS JOIN LATERAL regexp_match(
      pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''?([0-9]+)''?\\) TO \\(''?([0-9]+)''?\\)'
    ) AS bound
    WHERE i.inhparent = 'woof.frames'::regclass;

  CREATE FUNCTION woof.newest_no() RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('woof.executions', 'no')::regclass), 0) $$;

  -- To attach a partition waits for no reader and no append.
  CREATE FUNCTION woof.add_period(days bigint) RETURNS void LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
  DECLARE
    today bigint;
    part text;
    parent text;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('woof.periods'));
    today := woof.now_ms() / 86400000;
    IF (SELECT max(end_no) FROM woof.periods) > today * 8589934592 THEN RETURN; END IF;
    FOREACH parent IN ARRAY ARRAY['frames', 'snapshots'] LOOP
      part := parent || to_char(date '1970-01-01' + today::integer, '_YYYYMMDD');
      EXECUTE format('CREATE TABLE woof.%I (LIKE woof.%I INCLUDING ALL)', part, parent);
      EXECUTE format('ALTER TABLE woof.%I ATTACH PARTITION woof.%I FOR VALUES FROM (%s) TO (%s)',
        parent, part, today * 8589934592, (today + days) * 8589934592);
    END LOOP;
  EXCEPTION WHEN lock_not_available THEN RETURN;
  END $$;

  -- A call of its own, because a sequence does not roll back: the partitions must be committed. The lock lets appends end
  -- that began without them.
  CREATE FUNCTION woof.enter_period() RETURNS void LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
  DECLARE
    newest bigint;
  BEGIN
    IF woof.newest_no() >= (SELECT max(first_no) FROM woof.periods) THEN RETURN; END IF;
    LOCK TABLE woof.frames IN SHARE ROW EXCLUSIVE MODE;
    newest := (SELECT max(first_no) FROM woof.periods);
    IF woof.newest_no() < newest THEN
      PERFORM setval(pg_get_serial_sequence('woof.executions', 'no')::regclass, newest);
    END IF;
  EXCEPTION WHEN lock_not_available THEN RETURN;
  END $$;

  -- Whoever waits for this lock makes all others wait, so it gives up soon.
  CREATE FUNCTION woof.drop_period(the_name text) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
  BEGIN
    LOCK TABLE woof.frames, woof.snapshots IN ACCESS EXCLUSIVE MODE;
    IF NOT EXISTS (SELECT 1 FROM woof.periods p WHERE p.name = the_name AND p.end_no <= woof.newest_no()
      AND NOT EXISTS (SELECT 1 FROM woof.executions e WHERE e.no >= p.first_no AND e.no < p.end_no))
    THEN RETURN FALSE; END IF;
    EXECUTE format('DROP TABLE woof.%I, woof.%I', 'frames_' || the_name, 'snapshots_' || the_name);
    RETURN TRUE;
  EXCEPTION WHEN lock_not_available THEN RETURN FALSE;
  END $$;
  `,
];
