/** How much of the output of a task run is kept: the first characters, up to a limit. */
/** The output that a tool or a cell keeps, and room for its note about what it dropped. */
export const KEPT_PER_TASK_RUN = 10 * 1024 * 1024 + 4096;
const REMEMBERED_TASK_RUNS = 10_000;

export class KeptText {
  private readonly kept = new Map<string, number>();

  /** Returns the part of the text that is still kept. */
  take(taskRun: string, text: string): string {
    const before = this.kept.get(taskRun) ?? 0;
    if (this.kept.size >= REMEMBERED_TASK_RUNS) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(taskRun, before + text.length);
    return text.slice(0, Math.max(0, KEPT_PER_TASK_RUN - before));
  }
}
