/**
 * A playbook's tree to its plan. Owns: the root's sections, the names of steps and the entry. Does not own: what is
 * inside a step (step.ts), what only warns about the whole (lint.ts).
 */

import { isTemplate } from '@woof/expr';
import type { JsonObject, KeychainEntry, Plan, Task } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import { child, eachScalar, type MapNode, mapToJson, type Node } from '../yaml/tree.ts';
import { refuseControl } from './conditions.ts';
import { problems } from './diagnostics.ts';
import { checkKnobs } from './knobs.ts';
import { lintPlan } from './lint.ts';
import { type LabelledTask, normaliseWorkbook } from './normalise.ts';
import type { Reading } from './reading.ts';
import { type Layer, layerOf } from './spec-layers.ts';
import { compileStep, type NamedStep } from './step.ts';
import { compileTask } from './task.ts';
import { checkTemplates } from './templates.ts';

export const ROOT_KEYS = [
  'apiVersion',
  'kind',
  'metadata',
  'keychain',
  'executor',
  'workload',
  'workflow',
  'workbook',
];
const API_VERSIONS = ['noetl.io/v10', 'noetl.io/v2'];
const CREDENTIAL_KEYS = [
  'keychain',
  'credentials',
  'credential',
  'auth',
  'secrets',
  'secret',
  'token',
  'password',
];

/** The plan may be partial where the reading has errors; the caller drops it then. */
export function compilePlaybook(reading: Reading, root: MapNode): Plan {
  checkRoot(reading, root);
  const metadata = takeMetadata(reading, root);
  const keychain = takeKeychain(reading, root);
  const executor = takeExecutor(reading, root);
  const workload = takeWorkload(reading, root);
  const blocks = normaliseWorkbook(reading, child(root, 'workbook'));
  reading.blocks = blocks.map((block) => block.label);
  const named = takeSteps(reading, root);
  const names = new Set(named.map((step) => step.name));
  const steps = named.map((step) => compileStep(reading, step, executor.layers, names));
  const plan: Plan = {
    kind: 'playbook',
    ...metadata,
    entry: takeEntry(reading, root, executor.entry, names),
    failure: 'route',
    workload,
    keychain: keychain.entries,
    steps,
    blocks: compileBlocks(reading, blocks, executor.layers),
    where: {},
  };
  const places = new Map(named.map((step) => [step.name, reading.span(step.at)]));
  lintPlan(reading, plan, { steps: places, keychain: keychain.places });
  plan.where = Object.fromEntries(reading.where);
  return plan;
}

function checkRoot(reading: Reading, root: MapNode): void {
  reading.warnUnknownKeys(root, 'a playbook', ROOT_KEYS, ['vars']);
  const vars = root.entries.get('vars');
  if (vars) reading.report(problems.rootVars(reading.span(vars.at)));
  const version = child(root, 'apiVersion');
  if (!version) reading.report(problems.noApiVersion(reading.keySpan(root)));
  const text = reading.takeText(version, 'apiVersion');
  if (version && text !== undefined && !API_VERSIONS.includes(text)) {
    reading.report(problems.apiVersion(reading.span(version), text, API_VERSIONS));
  }
  const kind = child(root, 'kind');
  const named = reading.takeRequiredText(root, 'kind', 'the playbook');
  if (kind && named !== undefined && named !== 'Playbook') {
    reading.report(problems.wrongKind(reading.span(kind), named));
  }
}

function takeMetadata(reading: Reading, root: MapNode): { name: string; path?: string } {
  const node = child(root, 'metadata');
  if (!node)
    reading.report(
      problems.missing(reading.keySpan(root), 'the playbook', 'metadata', 'add metadata: {name: …}'),
    );
  const metadata = reading.takeMap(node, 'metadata');
  if (!metadata) return { name: '' };
  const name = reading.takeRequiredText(metadata, 'name', 'metadata') ?? '';
  const path = reading.takeText(child(metadata, 'path'), 'metadata.path');
  return { name, ...(path === undefined ? {} : { path }) };
}

function takeKeychain(
  reading: Reading,
  root: MapNode,
): { entries: KeychainEntry[]; places: Map<string, Span> } {
  const places = new Map<string, Span>();
  const entries: KeychainEntry[] = [];
  for (const item of reading.takeList(child(root, 'keychain'), 'keychain')?.items ?? []) {
    const map = reading.takeMap(item, 'a keychain entry');
    if (!map) continue;
    const name = reading.takeRequiredText(map, 'name', 'the keychain entry');
    const kind = reading.takeRequiredText(map, 'kind', 'the keychain entry');
    if (name === undefined || kind === undefined) continue;
    const at = reading.span(child(map, 'name') ?? map);
    const first = places.get(name);
    if (first) reading.report(problems.duplicateName(at, 'keychain entry', name, first.line));
    places.set(name, first ?? at);
    checkTemplates(reading, map, `keychain/${name}`);
    entries.push({ ...mapToJson(map), name, kind });
  }
  return { entries, places };
}

function takeExecutor(reading: Reading, root: MapNode): { layers: Layer[]; entry: Node | undefined } {
  const executor = reading.takeMap(child(root, 'executor'), 'executor');
  if (!executor) return { layers: [], entry: undefined };
  reading.warnUnknownKeys(executor, 'executor', ['profile', 'version', 'spec'], CREDENTIAL_KEYS);
  const spec = reading.takeMap(child(executor, 'spec'), 'executor.spec');
  for (const map of [executor, ...(spec ? [spec] : [])]) refuseCredentials(reading, map);
  checkKnobs(reading, spec, 'executor.spec', ['entry_step', 'policy', ...CREDENTIAL_KEYS]);
  refuseControl(reading, child(spec, 'policy'), "the executor's policy");
  return { layers: layerOf(reading, spec, ['entry_step']), entry: child(spec, 'entry_step') };
}

function refuseCredentials(reading: Reading, map: MapNode): void {
  for (const key of CREDENTIAL_KEYS) {
    const entry = map.entries.get(key);
    if (entry) reading.report(problems.executorCredentials(reading.span(entry.at), key));
  }
}

function takeWorkload(reading: Reading, root: MapNode): JsonObject {
  const workload = reading.takeMap(child(root, 'workload'), 'workload');
  if (!workload) return {};
  eachScalar(workload, '', (node) => {
    if (typeof node.value !== 'string' || !isTemplate(node.value)) return;
    reading.report(problems.workloadTemplate(reading.span(node)));
  });
  return mapToJson(workload);
}

function takeSteps(reading: Reading, root: MapNode): NamedStep[] {
  const node = child(root, 'workflow');
  if (!node)
    reading.report(
      problems.missing(reading.keySpan(root), 'the playbook', 'workflow', 'add a list of steps'),
    );
  const list = reading.takeList(node, 'workflow');
  if (list?.items.length === 0) reading.report(problems.noSteps(reading.span(list)));
  const steps: NamedStep[] = [];
  const lines = new Map<string, number>();
  for (const item of list?.items ?? []) {
    const body = reading.takeMap(item, 'a step');
    const name = body && reading.takeRequiredText(body, 'step', 'the step');
    if (!body || name === undefined) continue;
    const at = child(body, 'step')!;
    const first = lines.get(name);
    if (first !== undefined) reading.report(problems.duplicateName(reading.span(at), 'step', name, first));
    else lines.set(name, reading.position(at)[0]);
    steps.push({ name, body, at });
  }
  return steps;
}

function takeEntry(
  reading: Reading,
  root: MapNode,
  node: Node | undefined,
  names: ReadonlySet<string>,
): string[] {
  const named = reading.takeText(node, 'entry_step');
  if (node && named !== undefined && !names.has(named)) {
    reading.report(problems.unknownEntry(reading.span(node), named, names));
  }
  if (node) return named === undefined ? [] : [named];
  if (names.has('start')) return ['start'];
  const workflow = root.entries.get('workflow');
  if (workflow && names.size > 0) reading.report(problems.noEntry(reading.span(workflow.at)));
  return [];
}

function compileBlocks(
  reading: Reading,
  blocks: readonly LabelledTask[],
  layers: readonly Layer[],
): Record<string, Task> {
  const compiled = blocks.map((block) => {
    const scope = { labels: [block.label], parallel: false, path: `workbook/${block.label}` };
    return compileTask(reading, block, layers, scope);
  });
  return Object.fromEntries(compiled.filter((task) => task !== undefined).map((task) => [task.label, task]));
}
