/**
 * Delays V8's optimizing compiler in a run whose steps wait for each other.
 *
 * Node 20 optimizes a function after a few hundred calls, in another thread. A chain of 1,000 requests spends 0.6 s of
 * processor time there, for code that soon ends, while the disk and the service that it calls need that core. Newer
 * versions of V8 wait several times as long by default.
 */
import { setFlagsFromString } from 'node:v8';

/** V8 refuses code caches made under other flags, so what a run loads must be loaded. */
const COMMITS_BEFORE = 50;
/** V8's default is 67,584 bytes of bytecode. Beyond nine times as many, nothing more is gained. */
const BUDGET = 600_000;

/** Called after each commit. Wide loops share commits: they are over, or optimized, before there are that many. */
export function optimizeLater(): (() => void) | undefined {
  if (!process.versions.v8.startsWith('11.')) return undefined;
  let commits = 0;
  return () => {
    commits += 1;
    if (commits === COMMITS_BEFORE) setFlagsFromString(`--interrupt-budget=${BUDGET}`);
  };
}
