/** Scripts on a web server or in a bucket, fetched like an `http` or `s3` task of the document would fetch them. */
import { failure, type Outcome, sizeFailure } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { HttpExchange } from '../http/http-exchange.ts';
import { networkFailure, statusFailure } from '../http/http-failure.ts';
import { toRequest } from '../http/http-request.ts';
import { S3Client } from '../s3/s3-client.ts';
import { OutcomeFault } from '../settle.ts';
import type { ToolCall, ToolContext } from '../tool.ts';
import { MAX_SCRIPT_BYTES, type ScriptPlace } from './script-place.ts';

const DEFAULT_SECONDS = 60;

export async function fetchScript(
  place: ScriptPlace,
  call: ToolCall,
  context: ToolContext,
): Promise<Uint8Array> {
  const { timeout } = place.fields;
  const deadline = new Deadline(context.signal, typeof timeout === 'number' ? timeout : DEFAULT_SECONDS);
  const { signal } = deadline;
  try {
    return await (place.source === 's3' ? overS3(place, signal) : overHttp(place, call, signal));
  } catch (error) {
    if (!deadline.passed || context.signal.aborted) throw error;
    throw refused(failure('timeout', 'no response in time; to wait longer, set "script.source.timeout"'));
  } finally {
    deadline.clear();
  }
}

async function overHttp(
  { uri, fields }: ScriptPlace,
  call: ToolCall,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { timeout: _, ...input } = fields;
  const wanted = toRequest({ ...call, input: { ...input, url: uri } });
  const exchange = new HttpExchange();
  try {
    const reply = await exchange.send(wanted, { signal });
    if (reply.status >= 200 && reply.status < 300) return await bytesOf(reply.body);
    await reply.body.dump();
    throw refused(statusFailure(wanted, reply, Date.now()));
  } catch (error) {
    throw error instanceof OutcomeFault || signal.aborted ? error : refused(networkFailure(wanted, error));
  } finally {
    await exchange.close();
  }
}

async function overS3({ uri, fields }: ScriptPlace, signal: AbortSignal): Promise<Uint8Array> {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/i.exec(uri) ?? [];
  const client = new S3Client({ ...fields, bucket }, signal);
  try {
    return await bytesOf(client.get(key));
  } catch (error) {
    throw error instanceof OutcomeFault || signal.aborted ? error : refused(client.failure(error));
  } finally {
    await client.close();
  }
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of chunks) {
    size += part.length;
    if (size > MAX_SCRIPT_BYTES) throw refused(sizeFailure(`it is larger than ${MAX_SCRIPT_BYTES} bytes`));
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function refused(outcome: Outcome): OutcomeFault {
  const error = { ...outcome.error!, message: `"script.uri": ${outcome.error!.message}` };
  return new OutcomeFault({ ...outcome, error });
}
