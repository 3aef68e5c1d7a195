/**
 * Tokens: `woof_<id>_<secret>`. The store keeps only the hash of the secret, so somebody who reads the store cannot use it.
 *
 * A token is not looked up again for `REMEMBERED_MS`. If it is revoked at another server, it ends here within that time.
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
  /** The key of the session, if a browser calls with its cookie. */
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

  /** Whose token it is; undefined if it is not valid. */
  async read(token: string): Promise<Who | undefined> {
    const [, id, secret] = SHAPE.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const kept = await this.find(id);
    // Compared even if the id is unknown, so that the response time does not reveal which ids exist.
    const matches = timingSafeEqual(digest(secret), Buffer.from(kept?.hash ?? NO_HASH, 'hex'));
    if (!kept || !matches || (kept.expires_at ?? Infinity) <= this.now()) return undefined;
    return { id, name: kept.name, role: kept.role };
  }

  /** Whose token has this id; undefined if it is no longer valid. */
  async byId(id: string): Promise<Who | undefined> {
    const kept = await this.find(id);
    if (kept === undefined || (kept.expires_at ?? Infinity) <= this.now()) return undefined;
    return { id, name: kept.name, role: kept.role };
  }

  /** Whether the token with this id is still valid. */
  async isGood(id: string): Promise<boolean> {
    return (await this.byId(id)) !== undefined;
  }

  /** Whether it was valid at the last lookup; it may have ended since. Does not ask the store. */
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

  /** Makes the first admin token. If several servers start on one store at once, only one of them makes it. */
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
    // After the removal: otherwise a concurrent call could remember the token that no longer exists.
    this.seen.delete(id);
    if (!existed) throw new Problem('not-found', `there is no token "${id}"`);
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

/** Whether a role may make a call that needs another role. An admin may do everything, a worker only its own calls. */
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
