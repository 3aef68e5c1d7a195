/** One execution that this process drives: its state, and the events that are not durable yet. */
import type { Event, Plan, State } from '@woof/net';
import type { Append, ExecutionRow } from '@woof/stores';

export class LiveExecution {
  /** Events folded into the state but not yet handed to the store. */
  private unsaved: Event[] = [];
  private saved: number;
  private row: Partial<ExecutionRow> | undefined;
  private plan: { hash: string; plan: Plan } | undefined;
  /** Jobs that the local worker holds, with their fences. */
  readonly held = new Map<string, number>();
  eventsSinceSnapshot = 0;
  snapshotAfter = 20_000;

  constructor(
    readonly state: State,
    readonly source: Record<string, string>,
    first?: { row: ExecutionRow; plan: { hash: string; plan: Plan } },
  ) {
    this.saved = state.seq;
    this.row = first?.row;
    this.plan = first?.plan;
  }

  get id(): string {
    return this.state.execution_id;
  }

  add(events: readonly Event[]): void {
    for (const event of events) this.unsaved.push(event);
  }

  changeRow(change: Partial<ExecutionRow>): void {
    this.row = { ...this.row, ...change };
  }

  /** Everything since the last call, as one frame. */
  takeFrame(): Append | undefined {
    const events = this.unsaved;
    if (events.length === 0) return undefined;
    this.unsaved = [];
    const frame: Append = { execution_id: this.id, expected: this.saved, events };
    if (this.row) frame.row = this.row;
    if (this.plan) frame.plan = this.plan;
    this.saved += events.length;
    this.eventsSinceSnapshot += events.length;
    this.row = undefined;
    this.plan = undefined;
    return frame;
  }
}
