/**
 * What tasks write, in the database that all servers share. A cursor is the number of a line.
 *
 * The database searches texts in its C collation: ASCII letters by ILIKE, other letters that have two cases by a
 * regular expression, which costs twice as much.
 */
import { KeptText } from '../logs/kept-text.ts';
import {
  LARGEST_PAGE,
  type LogLine,
  type LogPage,
  type LogQuery,
  type LogStore,
  placeOf,
  type WrittenEntry,
} from '../logs/log-store.ts';
import { fromPlain, toPlain } from '../plain-text.ts';
import { arrayOf, type Pool, type Value } from './pool.ts';

const ADD = `SELECT woof.add_log_lines($1, $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`;
const FORGET = `DELETE FROM woof.log_lines WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM woof.log_lines WHERE written_at < $1 LIMIT $2)) RETURNING no`;
/** Queried first: what is written meanwhile belongs to the next page. */
const LAST = `SELECT e.no AS execution, coalesce((SELECT max(l.no) FROM woof.log_lines l WHERE l.execution = e.no), 0) AS last
  FROM woof.executions e WHERE e.id = $1`;
const FORGOTTEN_AT_ONCE = 5000;

type Row = Omit<LogLine, 'cursor'> & { no: number };

export class PostgresLogs implements LogStore {
  private readonly kept = new KeptText();

  constructor(private readonly pool: Pool) {}

  async append(lines: readonly WrittenEntry[]): Promise<void> {
    const batches = new Map<string, WrittenEntry[]>();
    for (const line of lines) {
      const text = this.kept.take(`${line.execution_id}\n${line.task_run_id}`, line.text);
      if (text === '') continue;
      const batch = batches.get(line.execution_id) ?? [];
      batches.set(line.execution_id, batch);
      batch.push({ ...line, text });
    }
    for (const [id, batch] of batches) {
      const column = (field: keyof WrittenEntry) => arrayOf(batch.map((line) => toPlain(line[field])));
      const columns = (['at', 'step', 'job_id', 'task_run_id', 'stream', 'text'] as const).map(column);
      await this.pool.query(ADD, [toPlain(id), ...columns]);
    }
  }

  async read(executionId: string, query: LogQuery): Promise<LogPage> {
    const [log] = await this.pool.query<{ execution: number; last: number }>(LAST, [toPlain(executionId)]);
    const { execution, last } = log ?? { execution: 0, last: 0 };
    const isBackward = query.tail === true || query.before !== undefined;
    const start = isBackward ? Math.min(placeOf(query.before, last + 1), last + 1) : placeOf(query.from, 0);
    const span = isBackward ? { after: 0, before: start } : { after: start, before: last + 1 };
    const { text, values } = statementOf({ execution, ...span, isBackward }, query);
    const lines = (await this.pool.query<Row>(text, values)).map(lineOf);
    const size = lines.reduce((sum, line) => sum + line.text.length, 0);
    const isFull = lines.length === query.limit || size >= LARGEST_PAGE;
    if (isBackward) {
      lines.reverse();
      return { lines, next: String(start - 1), ...(isFull ? { previous: lines[0]!.cursor } : {}) };
    }
    const next = isFull ? lines.at(-1)!.cursor : String(Math.max(start, last));
    return { lines, next, ...(start > 0 && lines.length > 0 ? { previous: lines[0]!.cursor } : {}) };
  }

  async forget(before: number): Promise<boolean> {
    const gone = await this.pool.query(FORGET, [before, FORGOTTEN_AT_ONCE]);
    return gone.length === FORGOTTEN_AT_ONCE;
  }
}

interface Span {
  execution: number;
  /** Both are exclusive line numbers. */
  after: number;
  before: number;
  isBackward: boolean;
}

/** Each filter has its own statement, so that the database uses the index that fits it. */
function statementOf(span: Span, { step, stream, q, limit }: LogQuery): { text: string; values: Value[] } {
  const values: Value[] = [span.execution, span.after, span.before, limit, LARGEST_PAGE];
  const add = (value: Value) => `$${values.push(value)}`;
  const conditions = [
    'execution = $1 AND no > $2 AND no < $3',
    ...(step === undefined ? [] : [`step = ${add(toPlain(step))}`]),
    ...(stream === undefined ? [] : [`stream = ${add(stream)}`]),
    ...(q ? [searchOf(toPlain(q), add)] : []),
  ];
  const order = span.isBackward ? 'DESC' : 'ASC';
  const page = `SELECT no, at, step, job_id, task_run_id, stream, text FROM woof.log_lines
    WHERE ${conditions.join(' AND ')} ORDER BY no ${order} LIMIT $4`;
  const sized = `SELECT *, sum(octet_length(text)) OVER (ORDER BY no ${order}) - octet_length(text) AS size
    FROM (${page}) AS page`;
  return { text: `SELECT * FROM (${sized}) AS sized WHERE size < $5 ORDER BY no ${order}`, values };
}

function searchOf(q: string, add: (value: Value) => string): string {
  const isPlain = [...q].every((one) => one < '\x80' || one.toLowerCase() === one.toUpperCase());
  if (isPlain) return `text ILIKE ${add(`%${q.replace(/[\\%_]/g, '\\$&')}%`)}`;
  const either = [...q].map((one) => {
    const forms = [...new Set([one, one.toLowerCase(), one.toUpperCase()])];
    return `(?:${forms.map((form) => form.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`;
  });
  return `text ~ ${add(either.join(''))}`;
}

function lineOf({ no, at, step, job_id, task_run_id, stream, text }: Row): LogLine {
  return {
    at,
    step: fromPlain(step),
    job_id: fromPlain(job_id),
    task_run_id: fromPlain(task_run_id),
    stream,
    text: fromPlain(text),
    cursor: String(no),
  };
}
