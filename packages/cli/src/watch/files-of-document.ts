/** The files that a run of a document reads, as far as the document names them: itself, scripts, nested playbooks. */
import { resolve } from 'node:path';
import type { Json, Plan, Task } from '@woof/net';
import { PlaybookFinder } from '../find-playbook.ts';
import { type ReadPlan, readPlan } from '../read-plan.ts';

const MOST_FILES = 200;

/** The document comes first. What cannot be read, or is named by a template, is left out. */
export function filesOfDocument(path: string, data: string | undefined): string[] {
  const found = new Set([resolve(path)]);
  const playbooks = new PlaybookFinder();
  const visit = ({ plan, source: { folder } }: ReadPlan, root: string) => {
    for (const task of plan ? tasksOf(plan) : []) {
      const script = scriptOf(task);
      if (script !== undefined) found.add(resolve(folder, script));
      const nested = nestedOf(task);
      if (nested === undefined) continue;
      const file = orNone(() => resolve(folder, playbooks.find(nested, folder, root)));
      if (file === undefined || found.has(file) || found.size >= MOST_FILES) continue;
      found.add(file);
      const read = orNone(() => readPlan(file, '.', { data }));
      if (read) visit(read, root);
    }
  };
  const read = orNone(() => readPlan(path, '.', { data }));
  if (read && read.notebook === undefined) visit(read, read.source.folder);
  return [...found];
}

function tasksOf({ steps, blocks }: Plan): Task[] {
  return [...steps.flatMap((step) => step.tasks), ...Object.values(blocks)];
}

function scriptOf({ input: { script } }: Task): string | undefined {
  const uri = plainText((script as { uri?: Json } | null | undefined)?.uri ?? script);
  if (uri === undefined || /^(?!file:)\w+:/.test(uri)) return undefined;
  return uri.replace(/^file:(\/\/)?/, '');
}

function nestedOf({ kind, input: { path } }: Task): string | undefined {
  return kind === 'playbook' ? plainText(path) : undefined;
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' && !value.includes('{{') ? value : undefined;
}

function orNone<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
