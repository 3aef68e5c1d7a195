/** The stream of rows as they change. */
import { Problem } from '@woof/protocol';
import { untilRevoked } from '../access/until-revoked.ts';
import { ChangeStream } from '../change-stream.ts';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';
import { SseResponse } from '../sse-response.ts';

export function changes(parts: Parts): Handlers<'changes'> {
  return {
    'changes.stream': async ({ headers, raw, reply, signal, who }) => {
      if (!raw.headers.accept?.includes('text/event-stream'))
        throw new Problem(
          'request/invalid',
          'changes are a stream; send the header Accept: text/event-stream',
        );
      const allowed = untilRevoked(parts.tokens, who.id, signal);
      try {
        const response = SseResponse.begin(reply, parts.listenerMs);
        await new ChangeStream(parts, response).run(headers['last-event-id'], allowed.signal);
      } finally {
        allowed.end();
      }
      return undefined;
    },
  };
}
