/** The lines of a log that match, at its end or around one of them; more as they come or are scrolled to. */
import { type Readable, writable } from './readable.ts';
import type { Head, LogLine, LogPage, LogQuery, RunSource } from './run-source.ts';

const PAGE = 500;
const MOST_LINES = 20_000;
/** What comes after it is the whole log. */
const START = '0';
const POLL_MS = 1000;

type Place = Pick<LogQuery, 'before' | 'after'>;
type Source = Pick<RunSource, 'logs'> & {
  head: Readable<Pick<Head, 'connection'>>;
};

export class LogWindow {
  readonly lines = writable<readonly LogLine[]>([]);
  /** How the last call went. */
  readonly state = writable<'loading' | 'loaded' | 'failed'>('loading');
  /** There are lines between these and the end of the log: what is written now is not shown. */
  readonly isApart = writable(false);
  #hasBefore = false;
  #asking: Promise<boolean> | undefined;
  /** Where to begin, unless at the end. */
  #line: string | undefined;
  #isClosed = false;

  constructor(
    private readonly source: Source,
    private readonly filter: Pick<LogQuery, 'step' | 'q'>,
  ) {}

  /**
   * Reads the end of the log and follows it until the returned function is called. With the cursor of a line, begins
   * there if the line is far from the end.
   */
  open(line?: string): () => void {
    this.#line = line;
    const stop = this.#lookWhenOver();
    void this.#lookOnceMore();
    const timer = setInterval(() => {
      const isLive = this.source.head.peek().connection === 'live';
      if (isLive || this.state.peek() === 'failed') void this.#catchUp();
    }, POLL_MS);
    return () => {
      this.#isClosed = true;
      stop();
      clearInterval(timer);
    };
  }

  async before(): Promise<void> {
    const first = this.lines.peek()[0]?.cursor;
    if (!this.#hasBefore || first === undefined || this.lines.peek().length >= MOST_LINES) return;
    await this.#ask({ before: first }, (page) => {
      this.#hasBefore = page.more;
      this.lines.value = [...page.lines, ...this.lines.peek()];
      return page.more;
    });
  }

  async after(): Promise<void> {
    const last = this.lines.peek().at(-1)?.cursor;
    if (!this.isApart.peek() || last === undefined || this.lines.peek().length >= MOST_LINES) return;
    await this.#ask({ after: last }, ({ lines, more }) => {
      this.lines.value = [...this.lines.peek(), ...lines];
      this.isApart.value = more;
      return more;
    });
  }

  /** A line that is not in the log, does not match, or is refused is left aside. */
  async #around(line: string): Promise<boolean> {
    const query = { ...this.filter, limit: PAGE };
    try {
      const earlier = await this.source.logs({ ...query, before: line });
      const later = await this.source.logs({ ...query, after: earlier.lines.at(-1)?.cursor ?? START });
      if (this.#isClosed || !later.lines.some(({ cursor }) => cursor === line)) return false;
      this.#hasBefore = earlier.more;
      this.isApart.value = later.more;
      this.lines.value = [...earlier.lines, ...later.lines];
      this.state.value = 'loaded';
      return true;
    } catch {
      return false;
    } finally {
      this.#asking = undefined;
    }
  }

  /** The last lines can come after the last poll of a live run. */
  #lookWhenOver(): () => void {
    let wasOver = this.source.head.peek().connection === 'over';
    return this.source.head.subscribe(({ connection }) => {
      const isOver = connection === 'over';
      if (isOver && !wasOver) void this.#lookOnceMore();
      wasOver = isOver;
    });
  }

  async #lookOnceMore(): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    if (this.#asking !== undefined) return;
    // Until the source answers, it cannot be known whether the line is there.
    if (this.#line !== undefined && this.state.peek() !== 'loaded') {
      this.#asking = this.#around(this.#line);
      await this.#asking;
    }
    while (!this.isApart.peek() && (await this.#after()));
  }

  /** Whether there is more. */
  #after(): Promise<boolean> {
    const last = this.lines.peek().at(-1)?.cursor;
    return this.#ask(last === undefined ? {} : { after: last }, ({ lines, more }) => {
      if (last === undefined) this.#hasBefore = more;
      this.lines.value = [...this.lines.peek(), ...lines].slice(-MOST_LINES);
      return last !== undefined && lines.length > 0 && more;
    });
  }

  /** One call at a time: nothing happens while another is under way. */
  async #ask(place: Place, take: (page: LogPage) => boolean): Promise<boolean> {
    if (this.#asking !== undefined || this.#isClosed) return false;
    this.#asking = this.#answer(place, take);
    return this.#asking;
  }

  async #answer(place: Place, take: (page: LogPage) => boolean): Promise<boolean> {
    const query = { ...this.filter, ...place, limit: PAGE };
    const page = await this.source.logs(query).catch(() => undefined);
    this.#asking = undefined;
    if (this.#isClosed) return false;
    this.state.value = page === undefined ? 'failed' : 'loaded';
    return page !== undefined && take(page);
  }
}
