/**
 * Runs a circuit on a vector of all amplitudes.
 *
 * If nothing depends on a measurement, the vector is computed once and all shots are drawn from it. Otherwise each shot
 * is a separate run. Randomness comes from a seed: equal seeds give equal counts.
 */
import type { Matrix } from './gates.ts';
import type { Circuit, Operation } from './read-circuit.ts';

/** The maximum total work, so that a simulation ends in time. Shots that are separate runs count separately. */
const MOST_WORK = 4_000_000_000;

export class TooMuchWork extends Error {}

/** Returns one word of bits per shot. `pause`, awaited now and then to give others their turn, may throw. */
export async function simulateCircuit(
  circuit: Circuit,
  shots: number,
  seed: number,
  pause: () => Promise<void>,
): Promise<string[]> {
  const random = randomOf(seed);
  const isStatic = measuresLast(circuit.operations);
  const work = circuit.operations.length * 2 ** circuit.qubits * (isStatic ? 1 : shots);
  if (work > MOST_WORK)
    throw new TooMuchWork(
      'the circuit takes too long to simulate: use fewer qubits, gates or shots, and measure only at the end',
    );
  return isStatic ? drawn(circuit, shots, random, pause) : runs(circuit, shots, random, pause);
}

function measuresLast(operations: Operation[]): boolean {
  const measured = new Set<number>();
  for (const operation of operations) {
    if (operation.when || operation.do === 'reset') return false;
    if (operation.do === 'measure') measured.add(operation.qubit);
    else if ([...operation.controls, operation.target].some((qubit) => measured.has(qubit))) return false;
  }
  return true;
}

async function drawn(circuit: Circuit, shots: number, random: () => number, pause: () => Promise<void>) {
  const state = new StateVector(circuit.qubits);
  const bits = new Map<number, number>();
  for (const operation of circuit.operations) {
    await pause();
    if (operation.do === 'gate') state.apply(operation);
    if (operation.do === 'measure') bits.set(operation.bit, operation.qubit);
  }
  const sums = state.sums();
  const words: string[] = [];
  for (let shot = 0; shot < shots; shot++) {
    if (shot % 10_000 === 0) await pause();
    const outcome = indexIn(sums, random() * sums.at(-1)!);
    words.push(wordOf(circuit, (bit) => (bits.has(bit) ? (outcome >> bits.get(bit)!) & 1 : 0)));
  }
  return words;
}

async function runs(circuit: Circuit, shots: number, random: () => number, pause: () => Promise<void>) {
  const words: string[] = [];
  for (let shot = 0; shot < shots; shot++) {
    const state = new StateVector(circuit.qubits);
    const bits = new Map<number, number>();
    for (const operation of circuit.operations) {
      await pause();
      if (operation.when && numberOf(operation.when.bits, bits) !== operation.when.value) continue;
      if (operation.do === 'gate') state.apply(operation);
      else {
        const outcome = state.measure(operation.qubit, random());
        if (operation.do === 'measure') bits.set(operation.bit, outcome);
        else if (outcome === 1) state.flip(operation.qubit);
      }
    }
    words.push(wordOf(circuit, (bit) => bits.get(bit) ?? 0));
  }
  return words;
}

/** In the usual notation: the last register first, each with its last bit first. */
function wordOf({ registers }: Circuit, bitOf: (bit: number) => number): string {
  return registers
    .map(({ bits }) =>
      bits
        .toReversed()
        .map((bit) => bitOf(bit))
        .join(''),
    )
    .reverse()
    .join(' ');
}

function numberOf(bits: number[], values: Map<number, number>): number {
  return bits.reduce((sum, bit, index) => sum + (values.get(bit) ?? 0) * 2 ** index, 0);
}

function indexIn(sums: Float64Array, wanted: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}

class StateVector {
  private readonly re: Float64Array;
  private readonly im: Float64Array;

  constructor(qubits: number) {
    this.re = new Float64Array(2 ** qubits);
    this.im = new Float64Array(2 ** qubits);
    this.re[0] = 1;
  }

  apply({ matrix, controls, target }: { matrix: Matrix; controls: number[]; target: number }): void {
    const { re, im } = this;
    const [ar, ai, br, bi, cr, ci, dr, di] = matrix;
    const mask = controls.reduce((sum, qubit) => sum | (1 << qubit), 0);
    const step = 1 << target;
    for (let zero = 0; zero < re.length; zero++) {
      if ((zero & step) !== 0 || (zero & mask) !== mask) continue;
      const one = zero | step;
      const [r0, i0, r1, i1] = [re[zero]!, im[zero]!, re[one]!, im[one]!];
      re[zero] = ar * r0 - ai * i0 + br * r1 - bi * i1;
      im[zero] = ar * i0 + ai * r0 + br * i1 + bi * r1;
      re[one] = cr * r0 - ci * i0 + dr * r1 - di * i1;
      im[one] = cr * i0 + ci * r0 + dr * i1 + di * r1;
    }
  }

  /** Measures the qubit and collapses the state. */
  measure(qubit: number, chance: number): number {
    const { re, im } = this;
    const step = 1 << qubit;
    let one = 0;
    for (let at = 0; at < re.length; at++) if ((at & step) !== 0) one += re[at]! ** 2 + im[at]! ** 2;
    const outcome = chance < one ? 1 : 0;
    const scale = 1 / Math.sqrt(outcome === 1 ? one : 1 - one);
    for (let at = 0; at < re.length; at++) {
      const factor = ((at & step) !== 0) === (outcome === 1) ? scale : 0;
      re[at]! *= factor;
      im[at]! *= factor;
    }
    return outcome;
  }

  flip(qubit: number): void {
    this.apply({ matrix: [0, 0, 1, 0, 1, 0, 0, 0], controls: [], target: qubit });
  }

  /** The cumulative probabilities up to each outcome. */
  sums(): Float64Array {
    const sums = new Float64Array(this.re.length);
    let sum = 0;
    for (let at = 0; at < sums.length; at++) {
      sum += this.re[at]! ** 2 + this.im[at]! ** 2;
      sums[at] = sum;
    }
    return sums;
  }
}

/** mulberry32: small, and the same everywhere. Two of its numbers make one with 53 bits. */
function randomOf(seed: number): () => number {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
}
