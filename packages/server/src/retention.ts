/**
 * How long a server keeps what it notes beside the runs, and who removes it: a small piece at each call, so that nothing
 * waits for it. Several servers may do so at once; what one has removed, another does not find.
 */
import { DRAINS } from '@woof/engine';
import type { Records, Stored } from '@woof/stores';
import { AUDIT, auditKeyAt } from './access/audit.ts';
import { TOKENS } from './access/tokens.ts';
import { LOGS, logTimeOf } from './records-log-store.ts';
import { IDEMPOTENCY } from './starter.ts';

const DAY_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;

interface Rule {
  collection: string;
  days: number;
  /** How many are looked at in one call. */
  atOnce: number;
  /** Since when it is of no use; undefined: it still is. */
  since(stored: Stored): number | undefined;
  /** Nothing before this key is old. */
  begin?(before: number): string;
  /** Nothing from this key on is old. */
  end?(before: number): string;
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
  // A record holds what tasks printed in a moment, which may be much.
  { collection: LOGS, days: 30, atOnce: 20, since: ({ key }) => logTimeOf(key), end: executionsFrom },
  // A worker that leaves takes its own with it.
  { collection: DRAINS, days: 30, atOnce: 100, since: ({ value }) => Number(value.at) },
  {
    collection: TOKENS,
    days: 30,
    atOnce: 100,
    since: ({ value }) => (value.expires_at === undefined ? undefined : Number(value.expires_at)),
  },
];

export class Retention {
  /** The rule that is being kept, and the last key that was looked at. */
  private place: { rule: number; after?: string } = { rule: 0 };
  private nextAt = 0;

  constructor(
    private readonly records: Records,
    private readonly now: () => number,
  ) {}

  /** Does the next piece, where one is due. */
  async clean(): Promise<void> {
    if (this.now() < this.nextAt) return;
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
    const isOver = last === undefined || found.length < rule.atOnce || last >= (rule.end?.(before) ?? LAST);
    if (!isOver) this.place = { rule: this.place.rule, after: last };
    else this.nextRule();
  }

  private nextRule(): void {
    const rule = (this.place.rule + 1) % RULES.length;
    this.place = { rule };
    if (rule === 0) this.nextAt = this.now() + SWEEP_EVERY_MS;
  }
}

const LAST = '\u{10FFFF}';

/** Ids of executions begin with the day and time of their start: `20261115-084812`. */
function executionsFrom(before: number): string {
  return new Date(before).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
