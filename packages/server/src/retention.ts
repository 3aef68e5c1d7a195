/**
 * How long a server keeps what it notes beside the runs, and who removes it: a small piece at each call, so that nothing
 * waits for it. Several servers may do so at once; what one has removed, another does not find.
 */
import { DRAINS } from '@woof/engine';
import type { LogStore, Records, Stored } from '@woof/stores';
import { AUDIT, auditKeyAt } from './access/audit.ts';
import { LOGIN_CODES } from './access/login-codes.ts';
import { SESSIONS } from './access/sessions.ts';
import { TOKENS } from './access/tokens.ts';
import { IDEMPOTENCY } from './starter.ts';

const DAY_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
/** What tasks wrote, where the store removes it; files go with their runs. */
const LOG_DAYS = 30;

interface Rule {
  collection: string;
  days: number;
  /** How many are looked at in one call. */
  atOnce: number;
  /** Since when it is of no use; undefined: it still is. */
  since(stored: Stored): number | undefined;
  /** Nothing before this key is old. */
  begin?(before: number): string;
}

/** In the form that `docs/server.md` tells. */
const RULES: readonly Rule[] = [
  {
    collection: AUDIT,
    days: 365,
    atOnce: 100,
    since: ({ value }) => Number(value.at),
    begin: auditKeyAt,
  },
  { collection: IDEMPOTENCY, days: 7, atOnce: 100, since: ({ value }) => Number(value.at) },
  // A worker that leaves takes its own with it.
  { collection: DRAINS, days: 30, atOnce: 100, since: ({ value }) => Number(value.at) },
  {
    collection: TOKENS,
    days: 30,
    atOnce: 100,
    since: ({ value }) => (value.expires_at === undefined ? undefined : Number(value.expires_at)),
  },
  { collection: SESSIONS, days: 0, atOnce: 100, since: ({ value }) => Number(value.expires_at) },
  { collection: LOGIN_CODES, days: 0, atOnce: 100, since: ({ value }) => Number(value.expires_at) },
];

export class Retention {
  /** The rule that is being kept (after the last: what tasks wrote), and the last key that was looked at. */
  private place: { rule: number; after?: string } = { rule: 0 };
  private nextAt = 0;

  constructor(
    private readonly records: Records,
    private readonly now: () => number,
    private readonly logs: Pick<LogStore, 'forget'> = {},
  ) {}

  /** Does the next piece, where one is due. */
  async clean(): Promise<void> {
    if (this.now() < this.nextAt) return;
    if (this.place.rule === RULES.length) {
      const isMore = await this.logs.forget?.(this.now() - LOG_DAYS * DAY_MS);
      if (!isMore) this.nextRule();
      return;
    }
    const rule = RULES[this.place.rule]!;
    const before = this.now() - rule.days * DAY_MS;
    const after = this.place.after ?? rule.begin?.(before);
    const page = { ...(after === undefined ? {} : { after }), limit: rule.atOnce };
    const found = await this.records.list(rule.collection, page);
    for (const stored of found) {
      const since = rule.since(stored);
      if (since !== undefined && since < before)
        await this.records.remove(rule.collection, stored.key, stored.version);
    }
    const last = found.at(-1)?.key;
    const isOver = last === undefined || found.length < rule.atOnce;
    if (!isOver) this.place = { rule: this.place.rule, after: last };
    else this.nextRule();
  }

  private nextRule(): void {
    const rule = (this.place.rule + 1) % (RULES.length + 1);
    this.place = { rule };
    if (rule === 0) this.nextAt = this.now() + SWEEP_EVERY_MS;
  }
}
