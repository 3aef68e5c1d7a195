/** Files, runs and steps of this machine. What cannot be read is not offered: the user is in the middle of a line. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { stepCellIds } from '@woof/documents';
import { openForReading } from '../data-directory.ts';
import { readPlan } from '../read-plan.ts';
import { selectRun } from '../select-run.ts';
import type { Verb } from '../verb.ts';
import type { VerbEntry } from '../verbs.ts';
import type { Candidate, World } from './complete.ts';

const MOST_RUNS = 50;

export function machineWorld(verbs: Record<string, VerbEntry>): World {
  return {
    verbs: Object.entries(verbs).map(([word, { summary }]) => ({ word, about: summary })),
    load: async (name) =>
      Object.hasOwn(verbs, name) ? ((await verbs[name]!.load()).verb as Verb) : undefined,
    files: (prefix, endings) => orNone(() => filesFrom(prefix, endings)),
    runs: (data) => orNoneLater(() => runsIn(data)),
    steps: (word, data) => orNoneLater(() => stepsOf(word, data)),
  };
}

/** Folders end with a slash and always match: they may contain what is wanted. */
function filesFrom(prefix: string, endings = /(?:)/): string[] {
  const folder = prefix.endsWith('/') ? prefix : dirname(prefix);
  const lead = prefix.includes('/') ? (folder.endsWith('/') ? folder : `${folder}/`) : '';
  const names = readdirSync(fromHome(folder), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  const isHidden = (name: string) => name.startsWith('.') && !prefix.slice(lead.length).startsWith('.');
  return names
    .filter((name) => !isHidden(name) && (name.endsWith('/') || endings.test(name)))
    .map((name) => lead + name)
    .sort();
}

/** A shell expands it when the line is run, not while it is written. */
const fromHome = (path: string) => path.replace(/^~(?=\/|$)/, homedir());

async function runsIn(data: string | undefined): Promise<Candidate[]> {
  const { store } = openForReading(data);
  try {
    const rows = await store.executions({ limit: MOST_RUNS });
    return rows.map((row) => ({ word: row.execution_id, about: `${row.status}, ${row.name}` }));
  } finally {
    await store.close();
  }
}

async function stepsOf(word: string, data: string | undefined): Promise<string[]> {
  const path = fromHome(word);
  if (existsSync(path)) return stepsOfFile(path);
  const { store } = openForReading(data);
  try {
    const plan = await store.plan((await selectRun(store, word)).plan_hash);
    return (plan?.steps ?? []).map(({ name }) => name);
  } finally {
    await store.close();
  }
}

/** Works for a notebook even if something is wrong with it. */
function stepsOfFile(path: string): string[] {
  const { notebook, plan } = readPlan(path);
  return notebook ? stepCellIds(notebook) : (plan?.steps ?? []).map(({ name }) => name);
}

function orNone(find: () => string[]): string[] {
  try {
    return find();
  } catch {
    return [];
  }
}

async function orNoneLater<T>(find: () => Promise<T[]>): Promise<T[]> {
  try {
    return await find();
  } catch {
    return [];
  }
}
