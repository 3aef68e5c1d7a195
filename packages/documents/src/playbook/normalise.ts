/**
 * Converts the forms that a person may write to the one form that is compiled: tasks with labels, a router with arcs,
 * blocks with names. Owns: which forms are accepted. Does not own: what is inside a task or an arc.
 */

import { describe } from '../yaml/reading.ts';
import { child, type MapNode, type Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

export interface LabelledTask {
  label: string;
  /** The position of the label, or else of the task. */
  at: { start: number; end: number };
  body: MapNode;
  /** `name` provided the label, so it is not an input of the tool. */
  named: boolean;
}

/** One task, a list of tasks, or a list of `label: task`. */
export function normaliseTasks(reading: Reading, tool: Node | undefined): LabelledTask[] {
  if (tool === undefined) return [];
  if (tool.type === 'scalar') {
    reading.report(problems.taskShape(reading.span(tool), describe(tool)));
    return [];
  }
  const items = tool.type === 'list' ? tool.items : [tool];
  const tasks = items.map((item, index) => normaliseTask(reading, item, `task_${index + 1}`));
  const found = tasks.filter((task) => task !== undefined);
  refuseDuplicates(reading, 'task', found);
  return found;
}

function normaliseTask(reading: Reading, item: Node, generated: string): LabelledTask | undefined {
  if (item.type !== 'map') return reading.report(problems.taskShape(reading.span(item), describe(item)));
  const [only, ...others] = item.entries.values();
  if (item.entries.has('kind')) return namedTask(reading, item, generated);
  if (only && others.length === 0 && only.value.type === 'map') {
    return { label: only.key, at: only.at, body: only.value, named: false };
  }
  return reading.report(problems.noKind(reading.keySpan(item)));
}

/** `name` is the label, except for kinds that have a field of that name. */
function namedTask(reading: Reading, body: MapNode, generated: string): LabelledTask {
  const kind = child(body, 'kind');
  const schema = kind?.type === 'scalar' ? reading.kinds.get(String(kind.value)) : undefined;
  const name = child(body, 'name');
  if (name === undefined || (schema && Object.hasOwn(schema.fields, 'name'))) {
    return { label: generated, at: body, body, named: false };
  }
  return { label: reading.takeText(name, 'the name of a task') ?? generated, at: name, body, named: true };
}

/** `{spec?, arcs}`; the older list or name is refused. */
export function normaliseNext(reading: Reading, next: Node | undefined): { spec?: MapNode; arcs: MapNode[] } {
  if (next === undefined) return { arcs: [] };
  if (next.type !== 'map') return legacyNext(reading, next, describe(next), true);
  const arcs = next.entries.get('arcs')?.value;
  if (arcs === undefined) return legacyNext(reading, next, 'a map without `arcs`', next.entries.has('step'));
  reading.checkKeys(next, 'next', ['spec', 'arcs']);
  const spec = reading.takeMap(child(next, 'spec'), 'next.spec');
  const taken = reading.takeList(arcs, 'next.arcs')?.items ?? [];
  const maps = taken.map((arc) => reading.takeMap(arc, 'an arc')).filter((arc) => arc !== undefined);
  return { arcs: maps, ...(spec ? { spec } : {}) };
}

function legacyNext(reading: Reading, next: Node, got: string, isOlder: boolean): { arcs: MapNode[] } {
  reading.report(problems.legacyNext(reading.span(next), got, isOlder));
  return { arcs: [] };
}

/** A list of `{name, tool}`, or a map of name to task or `{tool}`. */
export function normaliseWorkbook(reading: Reading, workbook: Node | undefined): LabelledTask[] {
  if (workbook === undefined) return [];
  if (workbook.type === 'scalar') {
    reading.takeList(workbook, 'workbook');
    return [];
  }
  const blocks =
    workbook.type === 'list'
      ? workbook.items.map((item) => listedBlock(reading, item))
      : [...workbook.entries.values()].map(({ key, at, value }) => blockOf(reading, key, at, value));
  const found = blocks.filter((block) => block !== undefined);
  refuseDuplicates(reading, 'workbook task', found);
  return found;
}

function listedBlock(reading: Reading, item: Node): LabelledTask | undefined {
  const map = reading.takeMap(item, 'a workbook task');
  const name = map && reading.takeRequiredText(map, 'name', 'the workbook task');
  if (!map || name === undefined) return undefined;
  const at = child(map, 'name') ?? map;
  if (!map.entries.has('tool')) return { label: name, at, body: map, named: true };
  return blockOf(reading, name, at, map);
}

function blockOf(
  reading: Reading,
  label: string,
  at: { start: number; end: number },
  node: Node,
): LabelledTask | undefined {
  const map = reading.takeMap(node, 'a workbook task');
  const tool = map && !map.entries.has('kind') ? (child(map, 'tool') ?? map) : map;
  if (map && tool !== map) reading.checkKeys(map, 'a workbook task', ['name', 'desc', 'tool']);
  const body = reading.takeMap(tool, 'the tool of a workbook task');
  return body && { label, at, body, named: false };
}

function refuseDuplicates(reading: Reading, what: string, tasks: LabelledTask[]): void {
  const first = new Map<string, LabelledTask>();
  for (const task of tasks) {
    const earlier = first.get(task.label);
    if (earlier) {
      const [line] = reading.position(earlier.at);
      reading.report(problems.duplicateName(reading.span(task.at), what, task.label, line));
    } else first.set(task.label, task);
  }
}
