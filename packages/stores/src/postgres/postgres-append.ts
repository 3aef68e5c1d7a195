/**
 * A batch of frames as one statement, which is a transaction by itself.
 *
 * No row holds the length of an execution and changes with each append: the last frame gives it, and a frame's key is
 * the position at which it begins. A second writer at a position waits for the first to commit and is then refused by
 * the key. Among several frames of one execution, only the first is at a position that another writer could want, so
 * the rest follows it. Frames are inserted in key order, so that two servers with the same executions wait for each
 * other in one direction only.
 *
 * Frames are text: 640 bytes on disk for one of 570 characters. As jsonb it is 1,030 bytes, costs more to write and
 * refuses some texts; as bytea it is as large and slower to read.
 */
import { encodeJson } from '@woof/net';
import { encodeFrame } from '../frame-codec.ts';
import type { Inputs } from '../lists/inputs.ts';
import { toPlain, toPlainJson } from '../plain-text.ts';
import type { Append, ExecutionRow, Refused } from '../store.ts';
import { arrayOf, type Pool } from './pool.ts';

const APPEND = `
WITH head AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $12::text[]) WITH ORDINALITY
    AS h (id, expected, change, inputs, i)
), frame AS MATERIALIZED (
  SELECT * FROM unnest($4::bigint[], $5::bigint[], $6::integer[], $7::text[]) AS f (i, seq, length, events)
), planned AS (
  INSERT INTO woof.plans SELECT * FROM unnest($8::text[], $9::text[]) AS p (hash, plan) ORDER BY hash
  ON CONFLICT DO NOTHING
), created AS (
  INSERT INTO woof.executions (id, row, inputs, changed)
  SELECT id, change::jsonb, inputs, txid_current() FROM head WHERE expected = 0 AND change IS NOT NULL ORDER BY i
  ON CONFLICT DO NOTHING RETURNING no, id, status, parent
), known AS (
  SELECT h.i, e.no, h.expected, h.change, e.status, e.parent FROM head h
  CROSS JOIN LATERAL (SELECT no, status, parent FROM woof.executions e WHERE e.id = h.id LIMIT 1) e
  UNION ALL
  SELECT h.i, c.no, h.expected, NULL, NULL, NULL FROM created c JOIN head h USING (id)
), fitting AS (
  SELECT k.* FROM known k
  LEFT JOIN LATERAL (
    SELECT f.seq + f.length AS length FROM woof.frames f WHERE f.no = k.no ORDER BY f.seq DESC LIMIT 1
  ) last ON TRUE
  WHERE coalesce(last.length, 0) = k.expected
), first AS (
  INSERT INTO woof.frames
  SELECT t.no, f.seq, f.length, f.events FROM fitting t JOIN frame f ON f.i = t.i AND f.seq = t.expected
  ORDER BY t.no
  ON CONFLICT DO NOTHING RETURNING no
), taken AS (
  SELECT * FROM fitting t
  WHERE t.no IN (SELECT no FROM first) OR NOT EXISTS (SELECT 1 FROM frame f WHERE f.i = t.i)
), rest AS (
  INSERT INTO woof.frames
  SELECT t.no, f.seq, f.length, f.events FROM taken t JOIN frame f ON f.i = t.i AND f.seq > t.expected
), changed AS (
  UPDATE woof.executions e SET row = e.row || t.change::jsonb, changed = txid_current()
  FROM taken t WHERE e.no = t.no AND t.change IS NOT NULL
  RETURNING e.status, e.parent, t.status AS was, t.parent AS parent_was
), moved AS (
  SELECT status, 1 AS by FROM created WHERE parent IS NULL
  UNION ALL SELECT status, 1 FROM changed WHERE parent IS NULL
  UNION ALL SELECT was, -1 FROM changed WHERE parent_was IS NULL
), counted AS (
  INSERT INTO woof.status_counts AS s
  SELECT $13::integer, status, sum(by) FROM moved GROUP BY status HAVING sum(by) <> 0 ORDER BY status
  ON CONFLICT (part, status) DO UPDATE SET count = s.count + excluded.count
), woken AS (
  INSERT INTO woof.wakes
  SELECT e.no FROM unnest($10::bigint[], $11::text[]) AS w (i, id) JOIN taken t ON t.i = w.i
  CROSS JOIN LATERAL (
    SELECT no FROM woof.executions e WHERE e.id = w.id AND e.status IN ('running', 'paused', 'needs_human')
    UNION ALL SELECT no FROM created c WHERE c.id = w.id
  ) e
)
SELECT i FROM taken`;

const LENGTHS = `
SELECT h.i, (
  SELECT f.seq + f.length FROM woof.executions e JOIN woof.frames f USING (no) WHERE e.id = h.id
  ORDER BY f.seq DESC LIMIT 1
) AS length
FROM unnest($1::text[]) WITH ORDINALITY AS h (id, i)`;

const REMEMBERED_PLANS = 1000;
/** Into how many parts counts are divided. Servers that happen to use the same part wait for each other. */
const COUNT_PARTS = 64;

/** The frames of one execution in a batch that follow each other without a gap. */
interface Chain {
  id: string;
  expected: number;
  end: number;
  change: Partial<ExecutionRow> | undefined;
  inputs: Inputs | undefined;
  frames: Append[];
}

export class PostgresAppend {
  /** Plans are large, and executions of one plan are many. */
  private readonly knownPlans = new Set<string>();
  private readonly countPart = Math.floor(Math.random() * COUNT_PARTS);

  constructor(private readonly pool: Pool) {}

  async append(batch: readonly Append[]): Promise<Refused[]> {
    if (batch.length === 0) return [];
    const chains = chainsOf(batch);
    const plans = this.newPlans(batch);
    const values = [...parameters([...chains.values()], plans), this.countPart];
    const taken = await this.pool.query<{ i: number }>(APPEND, values);
    if (this.knownPlans.size > REMEMBERED_PLANS) this.knownPlans.clear();
    for (const hash of plans.keys()) this.knownPlans.add(hash);
    if (taken.length === chains.size && [...chains.values()].reduce(countFrames, 0) === batch.length)
      return [];
    return this.refused(batch, chains, new Set(taken.map(({ i }) => i)));
  }

  /** A plan that only a refused frame named may have been stored. That does no harm, because its hash identifies it. */
  private newPlans(batch: readonly Append[]): Map<string, string> {
    const plans = new Map<string, string>();
    for (const { plan } of batch) {
      if (plan && !this.knownPlans.has(plan.hash) && !plans.has(plan.hash)) {
        plans.set(plan.hash, encodeJson(plan.plan));
      }
    }
    return plans;
  }

  private async refused(
    batch: readonly Append[],
    chains: Map<string, Chain>,
    taken: Set<number>,
  ): Promise<Refused[]> {
    const actual = new Map<string, number>();
    const stale: Chain[] = [];
    [...chains.values()].forEach((chain, index) => {
      if (taken.has(index + 1)) actual.set(chain.id, chain.end);
      else stale.push(chain);
    });
    const lengths = await this.pool.query<{ i: number; length: number | null }>(LENGTHS, [
      arrayOf(stale.map(({ id }) => toPlain(id))),
    ]);
    for (const { i, length } of lengths) actual.set(stale[i - 1]!.id, length ?? 0);
    for (const { id, expected } of stale) {
      if (actual.get(id) === expected) throw new Error(`the first append of run ${id} has no row`);
    }
    const isRefused = (append: Append) => {
      const chain = chains.get(append.execution_id)!;
      return stale.includes(chain) || !chain.frames.includes(append);
    };
    return batch
      .filter(isRefused)
      .map(({ execution_id }) => ({ execution_id, actual: actual.get(execution_id)! }));
  }
}

function chainsOf(batch: readonly Append[]): Map<string, Chain> {
  const chains = new Map<string, Chain>();
  const broken = new Set<string>();
  for (const append of batch) {
    const { execution_id: id, expected, events, row, inputs } = append;
    const chain = chains.get(id) ?? { id, expected, end: expected, change: undefined, inputs, frames: [] };
    chains.set(id, chain);
    if (chain.end !== expected) broken.add(id);
    if (broken.has(id)) continue;
    chain.frames.push(append);
    chain.end += events.length;
    if (row) chain.change = { ...chain.change, ...row };
  }
  return chains;
}

function countFrames(sum: number, chain: Chain): number {
  return sum + chain.frames.length;
}

function parameters(chains: readonly Chain[], plans: Map<string, string>): string[] {
  const frames: { i: number; seq: number; length: number; events: string }[] = [];
  const wakes: { i: number; id: string }[] = [];
  chains.forEach((chain, index) => {
    const i = index + 1;
    for (const { expected, events, wakes: woken } of chain.frames) {
      if (events.length > 0)
        frames.push({ i, seq: expected, length: events.length, events: encodeFrame(events) });
      for (const id of woken ?? []) wakes.push({ i, id: toPlain(id) });
    }
  });
  return [
    arrayOf(chains.map(({ id }) => toPlain(id))),
    arrayOf(chains.map(({ expected }) => expected)),
    arrayOf(chains.map(({ change }) => (change ? toPlainJson(change) : null))),
    arrayOf(frames.map(({ i }) => i)),
    arrayOf(frames.map(({ seq }) => seq)),
    arrayOf(frames.map(({ length }) => length)),
    arrayOf(frames.map(({ events }) => events)),
    arrayOf([...plans.keys()]),
    arrayOf([...plans.values()]),
    arrayOf(wakes.map(({ i }) => i)),
    arrayOf(wakes.map(({ id }) => id)),
    arrayOf(chains.map(({ inputs }) => (inputs ? toPlainJson(inputs) : null))),
  ];
}
