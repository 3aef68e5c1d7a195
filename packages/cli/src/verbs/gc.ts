import { holdsLog, locateData, openAlone, openForReading } from '../data-directory.ts';
import {
  type Garbage,
  garbageOfBlobs,
  garbageOfCells,
  garbageOfRuns,
  remove,
  type Yard,
} from '../retention/garbage.ts';
import { RETENTION_DEFAULTS, type RetentionLimits, retentionLimits } from '../retention/retention-limits.ts';
import { byteCount, table } from '../terminal.ts';
import { DATA, defineVerb } from '../verb.ts';

const { keepLast, keepDays } = RETENTION_DEFAULTS;

export const verb = defineVerb({
  args: [],
  options: {
    'dry-run': { doc: 'only show what would be removed' },
    'keep-last': {
      doc: `keep all files of the last N runs of each document (default: ${keepLast})`,
      value: 'N',
    },
    'keep-days': {
      doc: `keep all files of runs younger than DAYS days (default: ${keepDays})`,
      value: 'DAYS',
    },
    json: { doc: 'print a JSON object' },
    data: DATA,
  },
  about:
    'Woof removes the bundles and output of old runs, old entries of the cell cache, and stored values that no run refers to. It keeps the records of all runs: woof runs, show, events and why work as before.',
  examples: [
    ['woof gc --dry-run', 'show what would be removed'],
    ['woof gc --keep-last 10 --keep-days 7', 'keep less than the default'],
  ],
  async run(_args, flags) {
    const dry = flags['dry-run'] === true;
    const limits = (await retentionLimits(locateData(flags.data).path, flags)) ?? RETENTION_DEFAULTS;
    const yard = openYard(flags.data, dry);
    try {
      const garbage = await find(yard, limits);
      if (!dry) await remove(garbage);
      if (flags.json) console.log(JSON.stringify(accountOf(garbage, limits, dry)));
      else process.stdout.write(summary(garbage, dry));
      return 0;
    } finally {
      await yard.close();
    }
  },
});

/** Nobody may write while it removes: a stored value that no log names now may be named a moment later. */
function openYard(flag: string | undefined, dry: boolean): Yard & { close(): Promise<void> } {
  const data = locateData(flag);
  if (!holdsLog(data)) return { path: data.path, close: async () => {} };
  if (!dry) return openAlone(flag);
  const { path, store } = openForReading(flag);
  return { path, store, close: () => store.close() };
}

async function find(yard: Yard, limits: RetentionLimits): Promise<Garbage[]> {
  const now = Date.now();
  return [
    ...(await garbageOfRuns(yard, limits, now)),
    ...(await garbageOfCells(yard, now)),
    ...(await garbageOfBlobs(yard, now)),
  ];
}

function accountOf(garbage: Garbage[], limits: RetentionLimits, dry: boolean) {
  return {
    dry_run: dry,
    keep_last: limits.keepLast,
    keep_days: limits.keepDays,
    bytes: bytesOf(garbage),
    removed: garbage,
  };
}

function summary(garbage: Garbage[], dry: boolean): string {
  if (garbage.length === 0) return 'nothing to remove\n';
  const kinds = [...new Set(garbage.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const own = garbage.filter((one) => one.kind === kind);
    return [kind, String(own.length), byteCount(bytesOf(own))];
  });
  return `${table(rows)}${dry ? 'would free' : 'freed'} ${byteCount(bytesOf(garbage))}\n`;
}

function bytesOf(garbage: Garbage[]): number {
  return garbage.reduce((sum, { bytes }) => sum + bytes, 0);
}
