/** Turns any error into a problem that tells the caller what to fix, and nothing about the machine. */
import { NewerVersion } from '@woof/net';
import { Problem } from '@woof/protocol';
import { BlobError, StoreError } from '@woof/stores';
import type { FastifyError } from 'fastify';
import type { z } from 'zod';

export function problemOf(error: unknown, onFault: (error: unknown) => void): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError) {
    onFault(error);
    return ofStore(error);
  }
  if (error instanceof NewerVersion) {
    onFault(error);
    return new Problem('version/newer', error.message);
  }
  const ofValue = error instanceof BlobError ? ofBlob(error) : undefined;
  if (ofValue) return ofValue;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem('request/too-large', 'the body exceeds the size limit of this call');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Problem(
      'request/invalid',
      'send content-type: application/json (stored values: application/octet-stream; the text of a notebook: application/vnd.woof.notebook+text)',
    );
  if (code?.startsWith('FST_ERR_CTP') || error instanceof SyntaxError)
    return new Problem('request/invalid', 'the body is not valid JSON for this call');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Problem('request/invalid', 'the request cannot be read');
  onFault(error);
  return new Problem('server/fault', 'internal error; the log of the server has the details');
}

function ofStore({ fault }: StoreError): Problem {
  if (fault === 'disk_full')
    return new Problem('store/full', 'the disk of the store is full; free some space, then try again');
  return new Problem(
    'store/unavailable',
    'the store cannot be read or written at the moment; try again later',
  );
}

/** Undefined if the caller is not at fault. */
function ofBlob({ fault, message }: BlobError): Problem | undefined {
  if (fault === 'missing') return new Problem('not-found', message);
  if (fault === 'too_large' || fault === 'unreadable')
    return new Problem('request/conflict', `${message}; you can read its bytes by its reference`);
  return undefined;
}

export function invalid(where: string, error: z.ZodError): Problem {
  const issues = error.issues
    .slice(0, 20)
    .map(({ path, message }) => ({ at: path.map(String).join('.'), message }));
  const [first] = issues;
  const detail = `${where}${first?.at ? ` "${first.at}"` : ''}: ${first?.message ?? 'it is invalid'}`;
  return new Problem('request/invalid', detail, { issues });
}
