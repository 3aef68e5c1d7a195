/** One-time codes with which a browser logs in without anybody typing a token. The store keeps only their hashes. */
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

  /** Who logs in with the code; undefined if it is not valid or was used. */
  async use(code: string): Promise<Who | undefined> {
    const stored = await this.records.get(LOGIN_CODES, keyOf(code));
    if (stored === undefined) return undefined;
    // If it is used several times at once, at any servers, only one caller removes it.
    const isFirst = await this.records.remove(LOGIN_CODES, stored.key, stored.version);
    if (!isFirst || Number(stored.value.expires_at) <= this.now()) return undefined;
    return this.tokens.byId(String(stored.value.token_id));
  }
}

function keyOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
