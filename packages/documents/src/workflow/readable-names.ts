/**
 * Which names the conditions of stages may read: `workload`, and the results of stages that always end before.
 *
 * Whether one stage comes before another is asked for 31 of them at a time: a bit for each goes along the edges, in
 * topological order, so that ten thousand conditions cost a few hundred walks and not ten thousand.
 */
import { didYouMean } from '@woof/expr/nearest';
import { topological } from '../graph/graph.ts';
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
  const names = [...new Set(ofStages.map(({ name }) => name))];
  const order = names.length > 0 ? topological([...byId.keys()], edges) : [];
  const incoming = sourcesOf(edges);
  for (let from = 0; from < names.length; from += BITS) {
    const asked = new Map(names.slice(from, from + BITS).map((name, bit) => [name, 1 << bit]));
    const before = reach(order, incoming, asked);
    for (const read of ofStages) {
      const bit = asked.get(read.name);
      if (bit !== undefined && !((before.get(read.stage) ?? 0) & bit)) refuseLater(reading, read);
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
      problems.unreadableName(at, name, 'it is a key of the workload', `write workload.${name}`),
    );
    return;
  }
  const dashed = stages.find((id) => !/^\w+$/.test(id) && id.split(/\W/).includes(name));
  const hint = dashed && `"${dashed}" cannot be a name in an expression: use "_" in the id of the stage`;
  const why = name === 'matrix' ? 'write matrix.x with the name of an axis' : 'no stage is called that';
  reading.report(problems.unreadableName(at, name, why, hint ?? didYouMean(name, [...ALWAYS, ...stages])));
}

function refuseMatrix(reading: Reading, { name, at }: NameRead): void {
  reading.report(problems.unreadableName(at, name, 'its matrix makes several stages of it'));
}

function refuseLater(reading: Reading, { stage, name, at }: NameRead): void {
  const why = name === stage ? 'it is this stage itself' : `"${stage}" does not wait for it`;
  const hint = name === stage ? undefined : `add {from: ${name}, to: ${stage}} to \`edges\``;
  reading.report(problems.unreadableName(at, name, why, hint));
}

function sourcesOf(edges: readonly Edge[]): Map<string, string[]> {
  const sources = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const of = sources.get(to);
    if (of) of.push(from);
    else sources.set(to, [from]);
  }
  return sources;
}

/** By stage, the bits of those that come before it. */
function reach(
  order: readonly string[],
  incoming: ReadonlyMap<string, readonly string[]>,
  asked: ReadonlyMap<string, number>,
): Map<string, number> {
  const before = new Map<string, number>();
  for (const id of order) {
    let bits = 0;
    for (const from of incoming.get(id) ?? []) bits |= (before.get(from) ?? 0) | (asked.get(from) ?? 0);
    before.set(id, bits);
  }
  return before;
}
