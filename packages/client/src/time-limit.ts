/** A signal that aborts after a time, or when the caller's own signal does. */
export class TimeLimit {
  readonly signal: AbortSignal;
  isOver = false;
  private readonly late = new AbortController();
  private readonly timer: ReturnType<typeof setTimeout>;

  constructor(
    readonly ms: number,
    signal: AbortSignal | undefined,
  ) {
    this.signal = signal ? AbortSignal.any([signal, this.late.signal]) : this.late.signal;
    this.timer = setTimeout(() => {
      this.isOver = true;
      this.late.abort();
    }, ms);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
