/** Codes with which a browser logs in once, without its person typing a token. The store keeps their hashes. */
import { createHash, randomBytes } from 'node:crypto';
import type { Records } from '@woof/stores';
import type { Tokens, Who } from './tokens.ts';

export const LOGIN_CODES = 'login-codes';
const VALID_MS = 15 * 60_000;

export class LoginCodes {
  constructor(
    private readonly records: Records,
    private readonly tokens: Tokens,
    private readonly now: () => number,
  ) {}

  async create(tokenId: string): Promise<{ code: string; expires_at: number }> {
    const code = randomBytes(16).toString('base64url');
    const expires_at = this.now() + VALID_MS;
    await this.records.put(LOGIN_CODES, keyOf(code), { token_id: tokenId, expires_at }, 0);
    return { code, expires_at };
  }

  /** Who logs in with it; undefined if nobody does any more. */
  async use(code: string): Promise<Who | undefined> {
    const stored = await this.records.get(LOGIN_CODES, keyOf(code));
    if (stored === undefined) return undefined;
    // Of several that come at once, at whichever servers, one removes it.
    const isFirst = await this.records.remove(LOGIN_CODES, stored.key, stored.version);
    if (!isFirst || Number(stored.value.expires_at) <= this.now()) return undefined;
    return this.tokens.byId(String(stored.value.token_id));
  }
}

function keyOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
