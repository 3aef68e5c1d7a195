/**
 * `matrix` of a stage: its combinations, in the order of the text, with the last axis varying fastest.
 *
 * `exclude` removes the combinations that have all its values. An entry of `include` adds its other values to the
 * combinations that agree with it; if none does, it is a combination of its own.
 */
import { child, type ListNode, type MapNode, type Node, type ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import { bytesOf } from './paths.ts';
import type { Reading } from './reading.ts';

/** Values by name; scalars keep their positions, so that they can be taken as written. */
export type Values = ReadonlyMap<string, ScalarNode>;

export interface Combination {
  /** Distinguishes it from its siblings: `os=linux,py=3.12`. Safe in file names and in shells. */
  suffix: string;
  values: Values;
  /** All names that any combination of the matrix has. */
  names: ReadonlySet<string>;
}

/** Slurm accepts arrays of about this size. */
const MAX_COMBINATIONS = 1000;
const MAX_SUFFIX = 100;
const LISTS = ['include', 'exclude'];

/** Empty if the matrix is invalid or too large for a stage of this size; that is reported. */
export function takeMatrix(reading: Reading, node: Node, stageSize: number): Combination[] {
  const map = reading.takeMap(node, 'matrix');
  if (!map) return [];
  const before = reading.diagnostics.length;
  const axes = [...map.entries.values()].filter(({ key }) => !LISTS.includes(key) && !key.startsWith('x-'));
  const lists = axes.map(({ key, value }) => ({ key, values: takeAxis(reading, key, value) }));
  const [includes, excludes] = LISTS.map((key) => takeEntries(reading, child(map, key), key));
  if (reading.diagnostics.length > before) return [];
  const size = lists.reduce((product, { values }) => product * values.length, 1) + includes!.length;
  if (size > MAX_COMBINATIONS || excludes!.length > MAX_COMBINATIONS) {
    reading.report(
      problems.tooLarge(reading.span(map), 'combinations or exclusions in one matrix', MAX_COMBINATIONS),
    );
    return [];
  }
  if (!reading.affords(stageSize * size, map)) return [];
  const kept = exclude(reading, lists.length > 0 ? product(lists) : [], excludes!);
  const all = include(kept, includes!, new Set(axes.map(({ key }) => key)));
  if (all.length === 0) reading.report(problems.emptyMatrix(reading.keySpan(map), whyEmpty(axes.length)));
  return named(
    reading,
    all,
    axes.map(({ key }) => key),
  );
}

const whyEmpty = (axes: number) => (axes === 0 ? 'it has no values' : '`exclude` removes every combination');

function takeAxis(reading: Reading, key: string, node: Node): ScalarNode[] {
  const list = reading.takeList(node, `matrix.${key}`);
  if (!/^[A-Za-z_]\w*$/.test(key)) {
    const expected = 'named with letters, digits and "_"';
    reading.report(problems.wrongType(reading.span(node), 'an axis of the matrix', expected, `"${key}"`));
  }
  if (list?.items.length === 0)
    reading.report(problems.emptyMatrix(reading.span(list), `\`${key}\` has no values`));
  return (list?.items ?? []).flatMap((item) => takeValue(reading, item, `a value of \`matrix.${key}\``));
}

function takeValue(reading: Reading, node: Node, what: string): ScalarNode[] {
  if (node.type === 'scalar' && node.value !== null) return [node];
  reading.refuseType(node, what, 'text, a number or a boolean');
  return [];
}

interface MatrixEntry {
  node: MapNode;
  values: Values;
}

function takeEntries(reading: Reading, node: Node | undefined, what: string): MatrixEntry[] {
  const list: ListNode | undefined = reading.takeList(node, `matrix.${what}`);
  return (list?.items ?? []).flatMap((item) => {
    const map = reading.takeMap(item, `an item of \`${what}\``);
    if (!map) return [];
    const pairs = [...map.entries.values()].flatMap(({ key, value }) =>
      takeValue(reading, value, `\`${key}\` of \`${what}\``).map((scalar): [string, ScalarNode] => [
        key,
        scalar,
      ]),
    );
    return [{ node: map, values: new Map(pairs) }];
  });
}

function product(axes: readonly { key: string; values: ScalarNode[] }[]): Values[] {
  let found: Values[] = [new Map()];
  for (const { key, values } of axes)
    found = found.flatMap((each) => values.map((value) => new Map([...each, [key, value]])));
  return found;
}

function exclude(reading: Reading, all: Values[], entries: readonly MatrixEntry[]): Values[] {
  let kept = all;
  for (const { node, values } of entries) {
    const left = kept.filter((each) => values.size === 0 || !agrees(each, values.entries()));
    if (left.length === kept.length) reading.report(problems.unusedExclude(reading.span(node)));
    kept = left;
  }
  return kept;
}

function include(kept: Values[], entries: readonly MatrixEntry[], axes: ReadonlySet<string>): Values[] {
  const found = kept.map((values) => new Map(values));
  const added: Values[] = [];
  for (const { values } of entries) {
    const shared = [...values].filter(([key]) => axes.has(key));
    const fitting = found.filter((each) => agrees(each, shared));
    for (const each of fitting) for (const [key, value] of values) each.set(key, value);
    if (fitting.length === 0) added.push(values);
  }
  return [...found, ...added];
}

function agrees(each: Values, values: Iterable<[string, ScalarNode]>): boolean {
  for (const [key, { value }] of values) if (each.get(key)?.value !== value) return false;
  return true;
}

/** Named by the axes, or by all values if there are no axes. */
function named(reading: Reading, all: readonly Values[], axes: readonly string[]): Combination[] {
  const taken = new Map<string, number>();
  const names = new Set(all.flatMap((values) => [...values.keys()]));
  return all.map((values, index) => {
    const own = axes.filter((key) => values.has(key));
    const parts = (own.length > 0 ? own : [...values.keys()]).map(
      (key) => `${key}=${safe(reading.written(values.get(key)!))}`,
    );
    const joined = parts.join(',');
    const plain = bytesOf(joined) > MAX_SUFFIX ? String(index + 1) : joined;
    const times = (taken.get(plain) ?? 0) + 1;
    taken.set(plain, times);
    return { suffix: times === 1 ? plain : `${plain}~${times}`, values, names };
  });
}

const safe = (text: string) => text.replaceAll(/[^\p{L}\p{N}_.+-]/gu, '_');
