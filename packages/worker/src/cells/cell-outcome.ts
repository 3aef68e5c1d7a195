/** The result of a cell, as its outputs and as the net reads it. */
import type { CellEnd, CellError, CellOutput } from '@woof/kernels';
import { type CellTask, failure, type Json, type Outcome } from '@woof/net';
import type { CellCall } from './cell-call.ts';
import { shownValue } from './shown-value.ts';

/** Keeps outputs in order and merges consecutive pieces of one stream. */
export function collect(outputs: CellOutput[], output: CellOutput, call: CellCall): void {
  const last = outputs.at(-1);
  if (output.output_type !== 'stream') {
    outputs.push(output);
    logValue(call, outputs, outputs.length - 1, last);
    return;
  }
  call.log(output.name, output.text);
  if (last?.output_type === 'stream' && last.name === output.name) last.text += output.text;
  else outputs.push({ ...output });
}

/** Logged with what the cell prints, so that whoever follows a run sees both in order. */
function logValue(call: CellCall, outputs: readonly CellOutput[], at: number, before?: CellOutput): void {
  const text = shownValue(call.cell, outputs, at);
  if (text === undefined) return;
  const isOpen = before?.output_type === 'stream' && before.name === 'stdout' && !before.text.endsWith('\n');
  call.log('stdout', `${isOpen ? '\n' : ''}${text}`);
}

/** For a cell that did not run, or that made all its outputs at once. */
export function logValues(call: CellCall, outputs: readonly CellOutput[]): void {
  for (const at of outputs.keys()) logValue(call, outputs, at);
}

/** An error remains the last output. */
export function noteDropped(outputs: CellOutput[], bytes: number, call: CellCall): void {
  const text = `\n[${bytes} more bytes of output were dropped]\n`;
  call.log('stderr', text.trimStart());
  const at = outputs.at(-1)?.output_type === 'error' ? outputs.length - 1 : outputs.length;
  outputs.splice(at, 0, { output_type: 'stream', name: 'stderr', text });
}

/** A cell that got no kernel shows why, like a cell that failed in one. */
export function kernelError({ name, message }: Error): CellError {
  const ename = name === 'PolicyError' ? name : 'KernelError';
  return { output_type: 'error', ename, evalue: message, traceback: [] };
}

/** A cell that the policy refuses fails as it would in a kernel. */
export function withoutKernel(cell: CellTask, error: CellError): Outcome {
  return error.ename === 'PolicyError' ? failed(cell, refusedEnd(error)) : failure('unknown', error.evalue);
}

export function resultOf(outputs: readonly CellOutput[]): Json {
  const last = outputs.findLast((output) => output.output_type === 'execute_result');
  if (last === undefined || last.output_type !== 'execute_result') return null;
  return last.data['application/json'] ?? last.data['text/plain'] ?? null;
}

/** The end of a cell that was not run. */
export function refusedEnd(error: CellError): CellEnd {
  return { status: 'error', error, transient: false, durationMs: 0, droppedBytes: 0 };
}

/** `advice`: how to fix it, if known. */
export function failed(cell: CellTask, end: CellEnd, advice?: string): Outcome {
  const { ename = 'Error', evalue = end.status, traceback = [] } = end.error ?? {};
  const kind = end.status === 'timeout' ? 'timeout' : ename === 'PolicyError' ? 'policy' : 'exception';
  const details = { traceback: traceback.join('\n'), cell: cell.id };
  const more = { retryable: end.transient, exception_type: ename, details };
  const what = evalue ? `${ename}: ${evalue}` : ename;
  return failure(kind, advice === undefined ? what : `${what}; ${advice}`, more);
}
