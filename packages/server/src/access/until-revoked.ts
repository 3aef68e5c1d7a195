/** What goes on for long asks again whether its caller still may: a token or a session can end meanwhile. */

const ASK_EVERY_MS = 2000;

/** Tokens or sessions. */
interface Callers {
  isGood(id: string): Promise<boolean>;
}

/** Aborts with `signal`, or soon after the token or session of this id has ended. `end` stops asking. */
export function untilRevoked(
  callers: Callers,
  id: string,
  signal: AbortSignal,
): { signal: AbortSignal; end: () => void } {
  const revoked = new AbortController();
  const ask = async () => {
    // A store that does not answer says nothing about it.
    const isGood = await callers.isGood(id).catch(() => true);
    if (!isGood) revoked.abort();
  };
  const timer = setInterval(() => void ask(), ASK_EVERY_MS);
  return { signal: AbortSignal.any([signal, revoked.signal]), end: () => clearInterval(timer) };
}
