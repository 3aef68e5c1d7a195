/** The output of a run's tasks, page by page, wherever it is kept; on request until the run ends. */
import { FileLogs, type LogFilter, type LogLine, type LogPage, type LogQuery } from '@woof/stores';
import { hasStopped, type LocalRun } from './follow-log.ts';

const POLL_MS = 100;
const LINES = 1000;

export interface LogView extends LogFilter {
  /** Continues until the run ends. */
  follow?: boolean | undefined;
  /** Begins with this many last lines. */
  tail?: number | undefined;
}

export interface LogSource {
  /** `isLast`: nothing more will be written, or the caller does not wait for it. */
  read(query: LogQuery, isLast: boolean): Promise<LogPage>;
  /** Checked before reading: a run that has ended writes nothing more. */
  hasEnded(round: number): Promise<boolean>;
}

export async function* logLines(source: LogSource, view: LogView): AsyncIterable<LogLine> {
  const { follow = false, tail, ...filter } = view;
  let place: Pick<LogQuery, 'from' | 'tail' | 'limit'> =
    tail === undefined ? { limit: LINES } : { tail: true, limit: tail };
  for (let round = 0; ; round++) {
    const isLast = !follow || (await source.hasEnded(round));
    const { lines, next } = await source.read({ ...filter, ...place }, isLast);
    yield* lines;
    if (isLast && lines.length === 0) return;
    place = { from: next, limit: LINES };
  }
}

export function localLogs(run: LocalRun): LogSource {
  const logs = new FileLogs(run.data.logs);
  return {
    hasEnded: (round) => hasStopped(run, round),
    read: async (query, isLast) => {
      const page = await logs.read(run.row.execution_id, query);
      if (page.lines.length === 0 && !isLast) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      return page;
    },
  };
}
