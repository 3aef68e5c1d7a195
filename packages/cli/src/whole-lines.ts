/** Programs write lines in pieces, several at once: the pieces are joined by task and stream. */
import type { LogEntry } from '@woof/stores';

export type WholeLine = Pick<LogEntry, 'step' | 'stream' | 'text'>;

/** A line that never ends is shown in parts of this length. */
const LONGEST = 64 * 1024;

/** The tasks of a job run one after the other: only the last has lines that may still end. */
interface OpenLines {
  step: string;
  taskRunId: string;
  texts: Map<LogEntry['stream'], string>;
}

export class WholeLines {
  private readonly open = new Map<string, OpenLines>();

  /** The lines that this piece completes, preceded by what an earlier task of its job left unfinished. */
  take({ job_id, task_run_id, step, stream, text }: LogEntry): WholeLine[] {
    const before = this.open.get(job_id);
    const isLater = before !== undefined && before.taskRunId !== task_run_id;
    const texts = before && !isLater ? before.texts : new Map<LogEntry['stream'], string>();
    const lines = `${texts.get(stream) ?? ''}${text}`.split('\n');
    const left = lines.at(-1)!;
    if (left === '' || left.length > LONGEST) texts.delete(stream);
    else texts.set(stream, left);
    if (texts.size === 0) this.open.delete(job_id);
    else this.open.set(job_id, { step, taskRunId: task_run_id, texts });
    const whole = left.length > LONGEST ? lines : lines.slice(0, -1);
    const earlier = isLater ? endsOf(before) : [];
    return [...earlier, ...whole.map((line) => ({ step, stream, text: line }))];
  }

  /** What will never be completed: of a step, or all of it. */
  rest(step?: string): WholeLine[] {
    const left = [...this.open].filter(([, lines]) => step === undefined || lines.step === step);
    for (const [job] of left) this.open.delete(job);
    return left.flatMap(([, lines]) => endsOf(lines));
  }
}

const endsOf = ({ step, texts }: OpenLines): WholeLine[] =>
  [...texts].map(([stream, text]) => ({ step, stream, text }));
