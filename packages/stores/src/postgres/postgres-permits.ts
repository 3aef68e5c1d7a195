/** Permits in Postgres. Does not own: who may enter, which `woof.enter_permit` decides (migrations.ts). */
import { ASK_AGAIN_MS } from '../memory/memory-permits.ts';
import { fromPlain, toPlain } from '../plain-text.ts';
import type { Held, Permit, Permits } from '../store.ts';
import type { Pool } from './pool.ts';

export class PostgresPermits implements Permits {
  constructor(private readonly pool: Pool) {}

  async enter({ key, holder, member, concurrency, perSecond }: Permit): Promise<number> {
    const sql = 'SELECT woof.enter_permit($1, $2, $3, $4, $5, $6) AS wait_ms';
    const intervalMs = perSecond === null ? null : 1000 / perSecond;
    const names = [key, holder, member].map(toPlain);
    const values = [...names, concurrency, intervalMs, ASK_AGAIN_MS];
    return (await this.pool.query<{ wait_ms: number }>(sql, values))[0]!.wait_ms;
  }

  async exit(key: string, holder: string): Promise<void> {
    const sql = 'DELETE FROM woof.permits WHERE key = $1 AND holder = $2';
    await this.pool.query(sql, [toPlain(key), toPlain(holder)]);
  }

  async held(): Promise<Held[]> {
    const rows = await this.pool.query<Held>('SELECT key, holder, member, since FROM woof.held');
    return rows.map(({ key, holder, member, since }) => ({
      key: fromPlain(key),
      holder: fromPlain(holder),
      member: fromPlain(member),
      since,
    }));
  }
}
