/**
 * Logged-in browsers. A session stands for a token: it has the token's role and ends with it. The store keeps only the
 * hash of a session's id, so somebody who reads the store cannot use it.
 *
 * A session is not looked up again for `REMEMBERED_MS`. If it ends at another server, it ends here within that time.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Records } from '@woof/stores';
import { LONGEST_SESSION_S } from './session-cookie.ts';
import type { Tokens, Who } from './tokens.ts';

export const SESSIONS = 'sessions';
const REMEMBERED_MS = 3000;
const MOST_REMEMBERED = 10_000;

interface Session {
  token_id: string;
  created_at: number;
  expires_at: number;
}

export class Sessions {
  /** By the hash of the id; undefined if the store does not have it. */
  private readonly seen = new Map<string, { session: Session | undefined; at: number }>();

  constructor(
    private readonly records: Records,
    private readonly tokens: Tokens,
    private readonly now: () => number,
  ) {}

  /** The ids that the browser keeps from now on. Its earlier sessions here end; those of other servers remain. */
  async begin(who: Who, known: readonly string[]): Promise<string[]> {
    const others = await this.end(known);
    const id = randomBytes(32).toString('base64url');
    const at = this.now();
    const session = { token_id: who.id, created_at: at, expires_at: at + LONGEST_SESSION_S * 1000 };
    await this.records.put(SESSIONS, keyOf(id), session, 0);
    return [id, ...others];
  }

  /** Who uses the browser; undefined if the store has none of these sessions. */
  async read(ids: readonly string[]): Promise<Who | undefined> {
    for (const id of ids) {
      const who = await this.whoseIs(keyOf(id));
      if (who) return { ...who, session: keyOf(id) };
    }
    return undefined;
  }

  /** Ends the sessions of this store and returns the ids of the others. */
  async end(ids: readonly string[]): Promise<string[]> {
    const others: string[] = [];
    for (const id of ids) {
      if (!(await this.records.remove(SESSIONS, keyOf(id)))) others.push(id);
      // After the removal: otherwise a concurrent call could remember the session that no longer exists.
      this.seen.delete(keyOf(id));
    }
    return others;
  }

  /** Whether the session with this key, as in `Who`, is still valid. */
  async isGood(key: string): Promise<boolean> {
    return (await this.whoseIs(key)) !== undefined;
  }

  /** Whether one of them existed at the last lookup; it may have ended since. Does not ask the store. */
  hasMet(ids: readonly string[]): boolean {
    return ids.some((id) => this.seen.get(keyOf(id))?.session !== undefined);
  }

  private async whoseIs(key: string): Promise<Who | undefined> {
    const session = await this.find(key);
    if (session === undefined || session.expires_at <= this.now()) return undefined;
    return this.tokens.byId(session.token_id);
  }

  private async find(key: string): Promise<Session | undefined> {
    const known = this.seen.get(key);
    if (known && this.now() - known.at < REMEMBERED_MS) return known.session;
    const stored = await this.records.get(SESSIONS, key);
    const session = stored?.value as unknown as Session | undefined;
    if (this.seen.size >= MOST_REMEMBERED) this.seen.clear();
    this.seen.set(key, { session, at: this.now() });
    return session;
  }
}

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
