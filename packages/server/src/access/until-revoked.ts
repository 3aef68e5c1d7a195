/** What goes on for long asks again whether its caller still may: a token can be revoked or expire meanwhile. */
import type { Tokens } from './tokens.ts';

const ASK_EVERY_MS = 2000;

/** Aborts with `signal`, or soon after the token has ended. `end` stops asking. */
export function untilRevoked(
  tokens: Tokens,
  tokenId: string,
  signal: AbortSignal,
): { signal: AbortSignal; end: () => void } {
  const revoked = new AbortController();
  const ask = async () => {
    // A store that does not answer says nothing about the token.
    const isGood = await tokens.isGood(tokenId).catch(() => true);
    if (!isGood) revoked.abort();
  };
  const timer = setInterval(() => void ask(), ASK_EVERY_MS);
  return { signal: AbortSignal.any([signal, revoked.signal]), end: () => clearInterval(timer) };
}
