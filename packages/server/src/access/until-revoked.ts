/** Long-running calls check repeatedly that their caller is still allowed: its token or session may end meanwhile. */

const ASK_EVERY_MS = 2000;

/** Tokens or sessions. */
interface Callers {
  isGood(id: string): Promise<boolean>;
}

/** Aborts with `signal`, or soon after the token or session with this id has ended. `end` stops the checks. */
export function untilRevoked(
  callers: Callers,
  id: string,
  signal: AbortSignal,
): { signal: AbortSignal; end: () => void } {
  const revoked = new AbortController();
  const ask = async () => {
    // If the store does not answer, the caller stays allowed.
    const isGood = await callers.isGood(id).catch(() => true);
    if (!isGood) revoked.abort();
  };
  const timer = setInterval(() => void ask(), ASK_EVERY_MS);
  return { signal: AbortSignal.any([signal, revoked.signal]), end: () => clearInterval(timer) };
}
