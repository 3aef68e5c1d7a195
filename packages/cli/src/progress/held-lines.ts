/**
 * Output that waits for the end of its step or for the next frame: a cell from the cache writes before the events of
 * the steps ahead of it are durable, and its output belongs directly above its own line.
 */
import type { WholeLine } from '../whole-lines.ts';

export class HeldLines {
  private lines: WholeLine[] = [];

  constructor(private readonly most: number) {}

  /** False: there is no room for it. */
  add(line: WholeLine): boolean {
    if (this.lines.length >= this.most) return false;
    this.lines.push(line);
    return true;
  }

  /** The lines of a step, or all. */
  take(step?: string): WholeLine[] {
    const isTaken = (line: WholeLine) => step === undefined || line.step === step;
    const taken = this.lines.filter(isTaken);
    this.lines = this.lines.filter((line) => !isTaken(line));
    return taken;
  }
}
