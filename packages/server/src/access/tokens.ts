/**
 * Tokens: `woof_<id>_<secret>`. The store keeps the hash of the secret, so whoever reads the store can use none.
 *
 * A token that was seen lately is not looked up again: one that is revoked at another server ends within `REMEMBERED_MS`.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Problem, RANKS, type Role } from '@woof/protocol';
import type { Records } from '@woof/stores';

export const TOKENS = 'tokens';
const FIRST_ADMIN = 'first-admin';
const REMEMBERED_MS = 3000;
const MOST_REMEMBERED = 10_000;
const SHAPE = /^woof_([0-9a-z]{8,16})_([\w-]{43})$/;

export interface Who {
  id: string;
  name: string;
  role: Role | 'anyone';
  /** The key of the session, if a browser asks with its cookie. */
  session?: string;
}

export interface TokenInfo extends Omit<Who, 'session'> {
  role: Role;
  created_at: number;
  created_by: string;
  expires_at?: number;
}

interface Kept extends TokenInfo {
  hash: string;
}

export const ANYONE: Who = { id: '', name: 'anyone', role: 'anyone' };

export class Tokens {
  private readonly seen = new Map<string, { kept: Kept | undefined; at: number }>();

  constructor(
    private readonly records: Records,
    private readonly now: () => number,
  ) {}

  /** Whose it is; undefined where it is nobody's any more. */
  async read(token: string): Promise<Who | undefined> {
    const [, id, secret] = SHAPE.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const kept = await this.find(id);
    // Compared also where there is none, so that the time does not tell which ids exist.
    const matches = timingSafeEqual(digest(secret), Buffer.from(kept?.hash ?? NO_HASH, 'hex'));
    if (!kept || !matches || (kept.expires_at ?? Infinity) <= this.now()) return undefined;
    return { id, name: kept.name, role: kept.role };
  }

  /** Whose token has this id; undefined if it opens nothing any more. */
  async byId(id: string): Promise<Who | undefined> {
    const kept = await this.find(id);
    if (kept === undefined || (kept.expires_at ?? Infinity) <= this.now()) return undefined;
    return { id, name: kept.name, role: kept.role };
  }

  /** Whether the token of this id still opens anything. */
  async isGood(id: string): Promise<boolean> {
    return (await this.byId(id)) !== undefined;
  }

  /** Whether it was good when it was last looked up; it may have ended since. Asks no store. */
  hasMet(token: string): boolean {
    const [, id = '', secret = ''] = SHAPE.exec(token) ?? [];
    const kept = this.seen.get(id)?.kept;
    return kept !== undefined && timingSafeEqual(digest(secret), Buffer.from(kept.hash, 'hex'));
  }

  async create(
    info: { name: string; role: Role; expires_in_s?: number | undefined },
    by: string,
  ): Promise<TokenInfo & { token: string }> {
    const id = randomBytes(5).toString('hex');
    const secret = randomBytes(32).toString('base64url');
    const kept: TokenInfo = {
      id,
      name: info.name,
      role: info.role,
      created_at: this.now(),
      created_by: by,
      ...(info.expires_in_s === undefined ? {} : { expires_at: this.now() + info.expires_in_s * 1000 }),
    };
    const value = { ...kept, hash: digest(secret).toString('hex') };
    if (!(await this.records.put(TOKENS, id, value, 0))) return this.create(info, by);
    return { ...kept, token: `woof_${id}_${secret}` };
  }

  /** Where no token is an admin's yet; of servers that start at once on one store, one makes it. */
  async createFirstAdmin(name: string, by: string): Promise<string | undefined> {
    const claim = await this.records.get(FIRST_ADMIN, 'claim');
    const isAdmin = ({ role, expires_at = Infinity }: TokenInfo) =>
      role === 'admin' && expires_at > this.now();
    if ((await this.list()).some(isAdmin)) return undefined;
    const mine = await this.records.put(FIRST_ADMIN, 'claim', { at: this.now() }, claim?.version ?? 0);
    return mine ? (await this.create({ name, role: 'admin' }, by)).token : undefined;
  }

  async list(): Promise<TokenInfo[]> {
    const all = await this.records.list(TOKENS);
    return all.map(({ value }) => shown(value as unknown as Kept));
  }

  async revoke(id: string): Promise<void> {
    const existed = await this.records.remove(TOKENS, id);
    // Afterwards: a call that came meanwhile would be remembered with what no longer holds.
    this.seen.delete(id);
    if (!existed) throw new Problem('not-found', `there is no token ${id}`);
  }

  private async find(id: string): Promise<Kept | undefined> {
    const known = this.seen.get(id);
    if (known && this.now() - known.at < REMEMBERED_MS) return known.kept;
    const stored = await this.records.get(TOKENS, id);
    const kept = stored?.value as unknown as Kept | undefined;
    if (this.seen.size >= MOST_REMEMBERED) this.seen.clear();
    this.seen.set(id, { kept, at: this.now() });
    return kept;
  }
}

/** Whether a role may do what asks for another. An admin may everything, a worker nothing but its own. */
export function mayDo(role: Role | 'anyone', needed: Role | 'anyone', worker: boolean): boolean {
  if (needed === 'anyone' || role === 'admin') return true;
  if (role === 'worker') return needed === 'worker' || worker;
  const rank = (one: string) => (RANKS as readonly string[]).indexOf(one);
  return needed !== 'worker' && rank(role) >= rank(needed);
}

const NO_HASH = '00'.repeat(32);

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function shown({ hash: _, ...info }: Kept): TokenInfo {
  return info;
}
