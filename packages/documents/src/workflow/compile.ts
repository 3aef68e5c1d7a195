/**
 * A workflow's tree to its plan. Owns: the root, the ids of stages, the arcs and the entry. Does not own: what is
 * inside a stage (stage.ts), which edges there are (edges.ts), which names a condition may read (readable-names.ts).
 *
 * Every algorithm here is linear in stages and edges: graphs of ten thousand stages are common.
 */
import type { JsonObject, Plan } from '@woof/net';
import { MISPLACED, readSchedules } from '../schedules/read-schedules.ts';
import { child, type MapNode, mapToJson, textOf } from '../yaml/tree.ts';
import { DEFAULTS } from './defaults.ts';
import { problems } from './diagnostics.ts';
import { type Edge, type NamedStage, takeEdges } from './edges.ts';
import { ROOT_KEYS } from './keys.ts';
import { isSafeId } from './paths.ts';
import { checkReads } from './readable-names.ts';
import type { Reading } from './reading.ts';
import { type CompiledStage, compileStage } from './stage.ts';

const MAX_ARCS = 200_000;

/** The plan may be partial if the reading has errors; the caller then drops it. */
export function compileWorkflow(reading: Reading, root: MapNode): Plan {
  reading.checkKeys(root, 'a workflow', ROOT_KEYS, MISPLACED);
  const metadata = reading.takeMap(child(root, 'metadata'), 'metadata');
  const name = takeName(reading, root, metadata);
  const path = textOf(child(metadata, 'path'));
  reading.takeWords(root, 'description');
  const workload = takeWorkload(reading, root);
  reading.schedules = readSchedules(root, child(metadata, 'schedules'), {
    report: (diagnostic) => reading.report(diagnostic),
    span: (place) => reading.span(place),
    place: 'metadata.schedules',
    path,
    inputs: workload,
    declares: 'the workload has',
    hasTemplates: false,
  });
  const named = takeStages(reading, root);
  const edges = takeEdges(reading, root, named);
  const stages = named.map((stage) => compileStage(reading, stage));
  checkReads(reading, stages, edges, new Set(Object.keys(workload)));
  connect(reading, root, stages, edges);
  const waiting = new Set(edges.map(({ to }) => to));
  const first = stages.filter(({ id }) => !waiting.has(id));
  return {
    kind: 'workflow',
    name,
    ...(path === undefined ? {} : { path }),
    entry: first.flatMap(({ steps }) => steps.map((step) => step.name)),
    failure: 'skip',
    workload,
    keychain: [],
    steps: stages.flatMap(({ steps }) => steps),
    blocks: {},
    where: Object.fromEntries(reading.where),
  };
}

function takeName(reading: Reading, root: MapNode, metadata: MapNode | undefined): string {
  const node = child(root, 'name') ?? child(metadata, 'name');
  if (node === undefined) reading.report(problems.noName(reading.keySpan(root)));
  return reading.takeText(node, 'name') ?? DEFAULTS.name;
}

function takeWorkload(reading: Reading, root: MapNode): JsonObject {
  const workload = reading.takeMap(child(root, 'workload'), 'workload');
  return workload ? mapToJson(workload) : {};
}

function takeStages(reading: Reading, root: MapNode): NamedStage[] {
  const node = child(root, 'stages');
  const list = reading.takeList(node, 'stages');
  if (node === undefined) reading.report(problems.noStages(reading.span(root.entries.get('stages')!.at)));
  else if (list?.items.length === 0) reading.report(problems.noStages(reading.span(list)));
  const lines = new Map<string, number>();
  const stages: NamedStage[] = [];
  for (const item of list?.items ?? []) {
    const body = reading.takeMap(item, 'a stage');
    const id = body && reading.takeRequiredText(body, 'stage_id', 'the stage');
    if (!body || id === undefined) continue;
    const at = child(body, 'stage_id')!;
    const first = lines.get(id);
    if (!isSafeId(id)) reading.report(problems.badId(reading.span(at), id));
    if (first !== undefined) reading.report(problems.duplicateId(reading.span(at), id, first));
    else lines.set(id, reading.position(at)[0]);
    stages.push({ id, body, at });
  }
  return stages;
}

/** Every step of one stage waits for every step of the other. */
function connect(
  reading: Reading,
  root: MapNode,
  stages: readonly CompiledStage[],
  edges: readonly Edge[],
): void {
  const steps = new Map(stages.map((stage) => [stage.id, stage.steps]));
  let arcs = 0;
  for (const { from, to, at } of edges) {
    const [sources, targets] = [steps.get(from)!, steps.get(to)!];
    arcs += sources.length * targets.length;
    if (arcs > MAX_ARCS) {
      reading.report(problems.tooLarge(reading.keySpan(root), 'edges between expanded stages', MAX_ARCS));
      return;
    }
    const place = reading.position(at);
    for (const source of sources) {
      for (const target of targets) source.next.arcs.push({ step: target.name, at: place });
    }
  }
}
