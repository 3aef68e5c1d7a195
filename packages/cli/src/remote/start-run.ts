/**
 * Starts a run at a server under an idempotency key, so that a call without an answer can be repeated without starting
 * the run twice.
 */
import { randomUUID } from 'node:crypto';
import { type Client, Reach, Unreachable } from '@woof/client';
import type { Diagnostic } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { BodyOf } from '@woof/protocol/http';
import { UserError } from '../user-error.ts';
import { INTERRUPTED, watchSignals } from '../watch-signals.ts';

interface Started {
  id: string;
  /** The server's diagnostics of the document. */
  diagnostics: Diagnostic[];
}

/** The id of the run, or the exit code if a person stopped waiting for the answer. */
export async function startRun(
  client: Client,
  body: BodyOf<'executions.start'>,
  key: string = randomUUID(),
): Promise<Started | { status: number }> {
  const signals = watchSignals();
  const onAway = (why: string) => process.stderr.write(`${why}; waiting for its answer\n`);
  const reach = new Reach(client.url, { onAway });
  try {
    const call = client.call('executions.start', { body, headers: { 'idempotency-key': key } });
    const started = await Promise.race([reach.listen(call), signals.first]);
    if (started !== undefined)
      return { id: started.execution_id, diagnostics: started.diagnostics as Diagnostic[] };
    process.stderr.write(`the run may have been started; ${again(key)}\n`);
    return { status: INTERRUPTED };
  } catch (error) {
    throw unanswered(error, key);
  } finally {
    signals.end();
  }
}

function unanswered(error: unknown, key: string): unknown {
  if (error instanceof Unreachable && error.isUnsent)
    return new UserError(
      `${error.message}; nothing was started`,
      'check that the server is running and that the address is correct',
    );
  const isUnsure = error instanceof Unreachable || (error instanceof Problem && error.status >= 500);
  if (!isUnsure) return error;
  return new UserError(`${error.message}; the run may have been started`, again(key));
}

function again(key: string): string {
  return `to avoid starting it twice, repeat the command with --key ${key}`;
}
