/** The speed of the disk: syncs per second of a page that is written in place. */
import { closeSync, fdatasyncSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { perSecond } from '../figure.ts';

const PAGE = Buffer.alloc(4096, 1);

export function syncRate(rounds = 1500): number {
  const path = join(process.env.WOOF_BENCH_DIR ?? tmpdir(), `woof-sync-${process.pid}`);
  const file = openSync(path, 'w');
  for (let index = 0; index < 256; index++) writeSync(file, PAGE, 0, 4096, index * 4096);
  fsyncSync(file);
  const started = performance.now();
  for (let index = 0; index < rounds; index++) {
    writeSync(file, PAGE, 0, 4096, (index % 256) * 4096);
    fdatasyncSync(file);
  }
  const rate = perSecond(rounds, started);
  closeSync(file);
  rmSync(path);
  return rate;
}
