/** Programs write lines in pieces, several at once: the pieces are put together by task and stream. */
import type { LogLine } from '@woof/worker';

export type WholeLine = Pick<LogLine, 'step' | 'stream' | 'text'>;

/** One that never ends is shown in parts of this length. */
const LONGEST = 64 * 1024;

export class WholeLines {
  private readonly open = new Map<string, WholeLine>();

  /** The lines that are whole with this piece. */
  take({ task_run_id, step, stream, text }: LogLine): WholeLine[] {
    const writer = `${task_run_id}\n${stream}`;
    const lines = `${this.open.get(writer)?.text ?? ''}${text}`.split('\n');
    const left = lines.at(-1)!;
    if (left === '' || left.length > LONGEST) this.open.delete(writer);
    else this.open.set(writer, { step, stream, text: left });
    const whole = left.length > LONGEST ? lines : lines.slice(0, -1);
    return whole.map((line) => ({ step, stream, text: line }));
  }

  /** What nobody will end any more: of a step, or all of it. */
  rest(step?: string): WholeLine[] {
    const left = [...this.open].filter(([, line]) => step === undefined || line.step === step);
    for (const [writer] of left) this.open.delete(writer);
    return left.map(([, line]) => line);
  }
}
