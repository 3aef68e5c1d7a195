/** The lines of a log that match, from its end; more of them as they come or are scrolled to. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { LogLine, LogPage, LogQuery, RunSource } from './run-source.ts';

const PAGE = 500;
const MOST_LINES = 20_000;
const POLL_MS = 1000;

type Place = Pick<LogQuery, 'before' | 'after'>;
type Source = Pick<RunSource, 'logs'> & {
  head: ReadonlySignal<Pick<RunSource['head']['value'], 'connection'>>;
};

export class LogWindow {
  readonly lines = signal<readonly LogLine[]>([]);
  /** How the last call went. */
  readonly state = signal<'loading' | 'loaded' | 'failed'>('loading');
  #hasBefore = false;
  #asking: Promise<boolean> | undefined;
  #isClosed = false;

  constructor(
    private readonly source: Source,
    private readonly filter: Pick<LogQuery, 'step' | 'q'>,
  ) {}

  /** Reads the end of the log and follows it until the returned function is called. */
  open(): () => void {
    const stop = this.#lookWhenOver();
    void this.#catchUp();
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

  /** The last lines can come after the last poll of a live run. */
  #lookWhenOver(): () => void {
    let wasOver = this.source.head.peek().connection === 'over';
    return effect(() => {
      const isOver = this.source.head.value.connection === 'over';
      if (isOver && !wasOver) void this.#lookOnceMore();
      wasOver = isOver;
    });
  }

  async #lookOnceMore(): Promise<void> {
    while (this.#asking !== undefined) await this.#asking;
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    while (await this.#after());
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
