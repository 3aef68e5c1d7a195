/** What engines share whose steps run in this process: it counts the steps and the ends itself. */
import { Count } from './contest.mjs';

export class LocalEngine {
  steps = new Count();
  ends = new Count();
  /** The ends that somebody has waited for. */
  #seen = 0;

  async ended(count) {
    this.#seen += count;
    await this.ends.reaches(this.#seen);
  }

  reached(count) {
    return this.steps.reaches(count);
  }

  begin(length) {
    return this.submit(length);
  }

  async run(length) {
    this.#seen += 1;
    await this.complete(length);
  }
}
