/** Files, runs and steps of this machine. What cannot be read is not offered: somebody is in the middle of a line. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { stepCellIds } from '@woof/documents';
import { openForReading } from '../data-directory.ts';
import { readPlan } from '../read-plan.ts';
import { selectRun } from '../select-run.ts';
import type { Verb } from '../verb.ts';
import type { VerbEntry } from '../verbs.ts';
import type { World } from './complete.ts';

const MOST_RUNS = 50;

export function machineWorld(verbs: Record<string, VerbEntry>): World {
  return {
    verbs: Object.keys(verbs),
    load: async (name) =>
      Object.hasOwn(verbs, name) ? ((await verbs[name]!.load()).verb as Verb) : undefined,
    files: (prefix, endings) => orNone(() => filesFrom(prefix, endings)),
    runs: (data) => orNoneLater(() => runsIn(data)),
    steps: (word, data) => orNoneLater(() => stepsOf(word, data)),
  };
}

/** Folders end with a slash, and always fit: what is asked for may be in them. */
function filesFrom(prefix: string, endings = /(?:)/): string[] {
  const folder = prefix.endsWith('/') ? prefix : dirname(prefix);
  const lead = prefix.includes('/') ? (folder.endsWith('/') ? folder : `${folder}/`) : '';
  const names = readdirSync(folder === '' ? '.' : folder, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  const isHidden = (name: string) => name.startsWith('.') && !prefix.slice(lead.length).startsWith('.');
  return names
    .filter((name) => !isHidden(name) && (name.endsWith('/') || endings.test(name)))
    .map((name) => lead + name)
    .sort();
}

async function runsIn(data: string | undefined): Promise<string[]> {
  const { store } = openForReading(data);
  try {
    return (await store.executions({ limit: MOST_RUNS })).map((row) => row.execution_id);
  } finally {
    await store.close();
  }
}

async function stepsOf(word: string, data: string | undefined): Promise<string[]> {
  if (existsSync(word)) return stepsOfFile(word);
  const { store } = openForReading(data);
  try {
    const plan = await store.plan((await selectRun(store, word)).plan_hash);
    return (plan?.steps ?? []).map(({ name }) => name);
  } finally {
    await store.close();
  }
}

/** Of a notebook also if something is wrong with it. */
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

async function orNoneLater(find: () => Promise<string[]>): Promise<string[]> {
  try {
    return await find();
  } catch {
    return [];
  }
}
