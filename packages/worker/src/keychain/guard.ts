/** Redacts what a task that may have secrets gives away while it runs: its output, and what it stores. */
import type { Assignment } from '@woof/net';
import type { Blobs } from '@woof/tools';
import type { LogSink } from '../log-sink.ts';
import { isTable, redactTable } from './redact-table.ts';
import type { Redactor } from './redactor.ts';

interface Guarded {
  options: { logs: LogSink; blobs: Blobs };
  assignment: Assignment;
  taskRunId: string;
}

export function guard<T extends Guarded>(task: T, redactor: Redactor): T & { flush(): void } {
  const { options, assignment, taskRunId } = task;
  const streams = { stdout: redactor.stream(), stderr: redactor.stream() };
  const write = (stream: 'stdout' | 'stderr', text: string) => {
    if (text !== '') options.logs.write(assignment, taskRunId, stream, text);
  };
  const logs: LogSink = {
    write: (_assignment, _taskRun, stream, text) => write(stream, streams[stream].write(text)),
    close: async () => {},
  };
  const blobs: Blobs = {
    put: (bytes, about) =>
      options.blobs.put(isTable(about.hint) ? redactTable(bytes, redactor) : redactor.bytes(bytes), about),
    get: (reference) => options.blobs.get(reference),
  };
  const flush = () => {
    write('stdout', streams.stdout.end());
    write('stderr', streams.stderr.end());
  };
  return { ...task, options: { ...options, logs, blobs }, flush };
}
