/** A run whose data is all here: its log, its output and its stored values. */
import type { Drawing } from '@woof/documents/graph';
import type { Event, Plan, Reference } from '@woof/net';
import { isMatch, linesOf } from './log-lines.ts';
import { writable } from './readable.ts';
import { RunFold } from './run-fold.ts';
import type { Head, LogLine, LogPage, LogQuery, RunSource } from './run-source.ts';

export interface LocalRun {
  execution_id: string;
  plan: Plan;
  drawing: Drawing;
  events: readonly Event[];
  /** Pieces of output, of one line or several. */
  logs: readonly Omit<LogLine, 'cursor'>[];
  /** Stored values by checksum. */
  values: Record<string, string>;
}

export function localSource(run: LocalRun): RunSource {
  const { execution_id: id, plan, drawing, events, logs, values } = run;
  const lookup = ({ checksum }: Reference) =>
    Object.hasOwn(values, checksum) ? values[checksum] : undefined;
  const fold = new RunFold(id, plan, { lookup });
  fold.append(events);
  const head = writable<Head>({
    length: fold.length,
    loaded: fold.length,
    started_at: fold.startedAt,
    last_at: fold.lastAt,
    status: fold.status,
    connection: 'over',
  });
  let lines: LogLine[] | undefined;
  return {
    id,
    plan,
    head,
    drawing: async () => drawing,
    at: async (seq) => fold.at(seq),
    step: async (seq, step) => fold.step(seq, step),
    events: async (from, to) => fold.events(from, to),
    seqAt: async (time) => fold.seqAt(time),
    timeline: async () => fold.timeline(),
    iterations: async (step, query) => fold.iterations(step, query),
    async logs(query) {
      lines ??= logs
        .flatMap((piece) => linesOf({ ...piece, cursor: '' }))
        .map((line, i) => ({ ...line, cursor: String(i + 1) }));
      return pageOf(lines, query);
    },
    async value(key) {
      const text = Object.hasOwn(values, key) ? values[key] : undefined;
      if (text === undefined) throw new Error('this page does not contain the value');
      return text;
    },
  };
}

export function pageOf(lines: readonly LogLine[], { step, q, after, before, limit }: LogQuery): LogPage {
  const found = lines.filter(
    (line) =>
      (step === undefined || line.step === step) &&
      isMatch(line, q) &&
      (after === undefined || Number(line.cursor) > Number(after)) &&
      (before === undefined || Number(line.cursor) < Number(before)),
  );
  const page = after === undefined ? found.slice(-limit) : found.slice(0, limit);
  return { lines: page, more: page.length < found.length };
}
