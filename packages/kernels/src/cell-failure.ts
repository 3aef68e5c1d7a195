/** The errors that the host reports when the driver cannot: timeouts, cancelled cells, kernels that died. */
import { constants } from 'node:os';
import type { Death } from './driver-process.ts';
import type { CellError, CellRun, KernelSpec } from './kernel.ts';

export function timeoutError({ timeoutMs = 0 }: CellRun, traceback: string[]): CellError {
  const evalue = `the cell ran longer than its timeout of ${timeoutMs / 1000} s`;
  return failure('TimeoutError', evalue, traceback);
}

export function abortedError({ id }: CellRun): CellError {
  return failure('KeyboardInterrupt', `cell ${id} was cancelled`);
}

export function policyError(refusal: string): CellError {
  return failure('PolicyError', refusal);
}

export function deathError(death: Death, spec: KernelSpec): CellError {
  return failure('KernelDied', `the ${spec.kernel ?? spec.language} kernel ${whatHappened(death, spec)}`);
}

/** Why a running kernel cannot take on the limit of the next cell. */
export function memoryRefusal(memoryMb: number, why: 'full' | 'impossible'): string {
  const fix = 'give all cells of this kernel the same memory_mb, or set sidefx=isolated on this cell';
  if (why === 'full') {
    return `earlier cells left more in the memory of the kernel than the memory_mb=${memoryMb} of this cell: ${fix}`;
  }
  return `the memory_mb of this cell differs from that of earlier cells in its kernel, and Woof cannot change the limit of this kernel (no writable control group, or a container): ${fix}`;
}

/** Whether someone or something killed it, which may not happen again. Running out of memory would. */
export function wasKilled(death: Death): boolean {
  return death.fault === undefined && !death.outOfMemory && signalOf(death) !== undefined;
}

function whatHappened(death: Death, { memoryMb }: KernelSpec): string {
  if (death.fault !== undefined) {
    return `was stopped: it sent ${death.fault} on the driver's channel, which cells must not use`;
  }
  if (death.outOfMemory) return `ran out of memory${allowance(memoryMb)}`;
  const signal = signalOf(death);
  const said = death.complaint === '' ? '' : `: ${death.complaint}`;
  if (signal === 'SIGSEGV') return `crashed: segmentation fault (SIGSEGV)${said}`;
  if (signal !== undefined) return `was killed by ${signal}${said}`;
  return `ended with exit code ${death.code}${said}`;
}

function allowance(memoryMb = Infinity): string {
  return memoryMb === Infinity ? '' : `: the cell may use memory_mb=${memoryMb}`;
}

/** Bubblewrap reports the program's signal as an exit code above 128. */
function signalOf({ code, signal }: Death): string | undefined {
  if (signal) return signal;
  if (code === null || code <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}

function failure(ename: string, evalue: string, traceback: string[] = []): CellError {
  return { output_type: 'error', ename, evalue, traceback };
}
