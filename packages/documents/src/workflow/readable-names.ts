/**
 * Which names the conditions of stages may read: `workload`, and the results of stages that always end before.
 *
 * Whether one stage comes before another is computed for 31 stages at a time: one bit for each is passed along the
 * edges, in topological order, so that ten thousand conditions cost a few hundred walks instead of ten thousand.
 */
import { didYouMean } from '@woof/expr/nearest';
import { topological } from '../graph/graph.ts';
import { groupBy } from '../graph/group-by.ts';
import { isSlip } from '../slip.ts';
import { problems } from './diagnostics.ts';
import type { Edge } from './edges.ts';
import type { NameRead, Reading } from './reading.ts';
import type { CompiledStage } from './stage.ts';

const ALWAYS = new Set(['workload', 'execution_id']);
const BITS = 31;

export function checkReads(
  reading: Reading,
  stages: readonly CompiledStage[],
  edges: readonly Edge[],
  workload: ReadonlySet<string>,
): void {
  const byId = new Map(stages.map((stage) => [stage.id, stage]));
  const ofStages: NameRead[] = [];
  for (const read of reading.reads) {
    if (ALWAYS.has(read.name)) continue;
    const stage = byId.get(read.name);
    if (!stage) refuseUnknown(reading, read, [...byId.keys()], workload);
    else if (stage.isMatrix) refuseMatrix(reading, read);
    else ofStages.push(read);
  }
  const keys = [...workload];
  for (const { key, at } of reading.workloadReads)
    if (!workload.has(key) && isSlip(key, keys)) reading.report(problems.unknownName(at, key, keys));
  if (ofStages.length > 0) refuseLaterReads(reading, ofStages, [...byId.keys()], edges);
}

function refuseLaterReads(
  reading: Reading,
  reads: readonly NameRead[],
  ids: readonly string[],
  edges: readonly Edge[],
): void {
  const order = topological(ids, edges);
  const place = new Map(order.map((id, index) => [id, index]));
  const incoming = order.map((): number[] => []);
  // Stages in a cycle, which is refused as such, have no place.
  for (const { from, to } of edges) if (place.has(to)) incoming[place.get(to)!]!.push(place.get(from)!);
  const byName = groupBy(reads, ({ name }) => name);
  const names = [...byName.keys()];
  for (let from = 0; from < names.length; from += BITS) {
    const asked = names.slice(from, from + BITS);
    const before = reach(
      incoming,
      asked.map((name) => place.get(name)),
    );
    for (const [bit, name] of asked.entries()) {
      for (const read of byName.get(name)!) {
        const at = place.get(read.stage);
        if (at !== undefined && !(before[at]! & (1 << bit))) refuseLater(reading, read);
      }
    }
  }
}

function refuseUnknown(
  reading: Reading,
  { name, at }: NameRead,
  stages: readonly string[],
  workload: ReadonlySet<string>,
): void {
  if (workload.has(name)) {
    reading.report(
      problems.unreadableName(at, name, 'it is a key of `workload`', `write \`workload.${name}\``),
    );
    return;
  }
  const dashed = stages.find((id) => !/^\w+$/.test(id) && id.split(/\W/).includes(name));
  const hint =
    dashed &&
    `"${dashed}" is not a name in an expression: use only letters, digits and "_" in the id of that stage`;
  const why = name === 'matrix' ? 'it needs the name of an axis, as in `matrix.os`' : 'no stage has that id';
  reading.report(problems.unreadableName(at, name, why, hint ?? didYouMean(name, [...ALWAYS, ...stages])));
}

function refuseMatrix(reading: Reading, { name, at }: NameRead): void {
  reading.report(problems.unreadableName(at, name, 'its matrix makes several stages out of it'));
}

function refuseLater(reading: Reading, { stage, name, at }: NameRead): void {
  const why = name === stage ? 'it is the stage that has this `if`' : `"${stage}" does not wait for it`;
  const hint = name === stage ? undefined : `add {from: ${name}, to: ${stage}} to \`edges\``;
  reading.report(problems.unreadableName(at, name, why, hint));
}

/** By place in the order, the bits of the stages before it. */
function reach(incoming: readonly number[][], asked: readonly (number | undefined)[]): Int32Array {
  const own = new Int32Array(incoming.length);
  for (const [bit, place] of asked.entries()) if (place !== undefined) own[place]! |= 1 << bit;
  const before = new Int32Array(incoming.length);
  for (const [to, sources] of incoming.entries()) {
    for (const from of sources) before[to]! |= before[from]! | own[from]!;
  }
  return before;
}
