/**
 * How long a server keeps its records, and how it removes them and old runs: in small pieces, one per call, so that
 * nothing waits for it. Several servers may do this at once: what one has removed, the others no longer find.
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
/** For the output of tasks, if the store removes it. Log files are removed with their runs. */
const LOG_DAYS = 30;

interface Rule {
  collection: string;
  days: number;
  /** How many records one call looks at. */
  atOnce: number;
  /** The time since which it is obsolete; undefined if it is still in use. */
  since(stored: Stored): number | undefined;
  /** No record before this key is old enough. */
  begin?(before: number): string;
}

/** Documented in `docs/server.md`. */
const RULES: readonly Rule[] = [
  {
    collection: AUDIT,
    days: 365,
    atOnce: 100,
    since: ({ value }) => Number(value.at),
    begin: auditKeyAt,
  },
  { collection: IDEMPOTENCY, days: 7, atOnce: 100, since: ({ value }) => Number(value.at) },
  // A worker that leaves removes its own record, and one that is alive renews it.
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

/** Removes a piece. Returns true if there is more. */
type Forget = () => Promise<boolean>;

export class Retention {
  private readonly others: readonly Forget[];
  /** The current rule (after the last one, `others`), and the last key that was looked at. */
  private place: { rule: number; after?: string } = { rule: 0 };
  private nextAt = 0;

  constructor(
    private readonly records: Records,
    private readonly now: () => number,
    logs: Pick<LogStore, 'forget'> = {},
    forgetRuns: Forget = async () => false,
  ) {
    this.others = [async () => (await logs.forget?.(now() - LOG_DAYS * DAY_MS)) ?? false, forgetRuns];
  }

  /** Removes the next piece, if one is due. */
  async clean(): Promise<void> {
    if (this.now() < this.nextAt) return;
    const rule = RULES[this.place.rule];
    if (rule) return this.keep(rule);
    const isMore = await this.others[this.place.rule - RULES.length]!();
    if (!isMore) this.nextRule();
  }

  private async keep(rule: Rule): Promise<void> {
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
    const rule = (this.place.rule + 1) % (RULES.length + this.others.length);
    this.place = { rule };
    if (rule === 0) this.nextAt = this.now() + SWEEP_EVERY_MS;
  }
}
