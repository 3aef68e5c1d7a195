import { Sequence } from './iterate.ts';

/** `range(start, stop, step)`: costs nothing until it is iterated. */
export class Range extends Sequence {
  readonly type = 'range';
  readonly length: number;
  readonly start: number;
  readonly #stop: number;
  readonly step: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.#stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }

  override at(index: number): number {
    return this.start + index * this.step;
  }

  override text(): string {
    return `range(${this.start}, ${this.#stop}${this.step === 1 ? '' : `, ${this.step}`})`;
  }
}
