/**
 * A playbook's tree to its plan. Owns: the root, the names of steps and the entry. Does not own: the other sections
 * (sections.ts, keychain.ts), what is inside a step (step.ts), warnings about the whole (lint.ts).
 */

import { isNamedCall, type Plan, type Task } from '@woof/net';
import { MISPLACED, readSchedules } from '../schedules/read-schedules.ts';
import { child, type MapNode, type Node } from '../yaml/tree.ts';
import { refuseCircularBlocks } from './circular-blocks.ts';
import { problems } from './diagnostics.ts';
import { takeKeychain } from './keychain.ts';
import { lintPlan } from './lint.ts';
import { type LabelledTask, normaliseWorkbook } from './normalise.ts';
import type { Reading } from './reading.ts';
import { takeExecutor, takeMetadata, takeWorkload } from './sections.ts';
import { compileStep, type NamedStep } from './step.ts';
import { compileTask } from './task.ts';

const ROOT_KEYS = [
  'apiVersion',
  'kind',
  'metadata',
  'keychain',
  'executor',
  'workload',
  'workflow',
  'workbook',
];
/** It is part of job ids, and commands name it. */
const LONGEST_STEP_NAME = 200;
const API_VERSIONS = ['noetl.io/v10', 'noetl.io/v2'];

/** The plan may be partial if the reading has errors; the caller then drops it. */
export function compilePlaybook(reading: Reading, root: MapNode): Plan {
  checkRoot(reading, root);
  const metadata = takeMetadata(reading, root);
  const keychain = takeKeychain(reading, root);
  reading.secrets = new Set(keychain.places.keys());
  const executor = takeExecutor(reading, root);
  const workload = takeWorkload(reading, root);
  reading.workload = workload;
  reading.schedules = readSchedules(root, executor.schedules, {
    report: (diagnostic) => reading.report(diagnostic),
    span: (place) => reading.span(place),
    place: 'executor.spec.schedules',
    path: metadata.path,
    inputs: workload,
    declares: 'the workload has',
    hasTemplates: true,
  });
  const blocks = normaliseWorkbook(reading, child(root, 'workbook'));
  reading.blocks = new Set(blocks.map((block) => block.label));
  refuseCircularBlocks(reading, blocks);
  const named = takeSteps(reading, root);
  const names = new Set(named.map((step) => step.name));
  const steps = named.map((step) => compileStep(reading, step, executor, names));
  const plan: Plan = {
    kind: 'playbook',
    ...metadata,
    entry: takeEntry(reading, root, executor.entry, names),
    failure: 'route',
    ...(executor.isLocal ? { isLocal: true as const } : {}),
    workload,
    keychain: keychain.entries,
    steps,
    blocks: compileBlocks(reading, blocks),
    where: {},
  };
  takeRulesOfBlocks(plan);
  if (executor.isLocal) refuseLabelsApart(reading, plan);
  const places = new Map(named.map((step) => [step.name, reading.span(step.at)]));
  lintPlan(reading, root, plan, { steps: places, keychain: keychain.places });
  plan.where = Object.fromEntries(reading.where);
  if (reading.codeLines.size > 0) plan.codeLines = Object.fromEntries(reading.codeLines);
  return plan;
}

function checkRoot(reading: Reading, root: MapNode): void {
  reading.checkKeys(root, 'a playbook', ROOT_KEYS, ['vars', ...MISPLACED]);
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
    if (name.length > LONGEST_STEP_NAME)
      reading.report(
        problems.tooLong(reading.span(at), 'the name of a step', LONGEST_STEP_NAME, name.length),
      );
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

/** No worker has two values of one label, so none could run all steps. */
function refuseLabelsApart(reading: Reading, plan: Plan): void {
  const first = new Map<string, string>();
  for (const step of plan.steps) {
    for (const [label, value] of Object.entries(step.labels ?? {})) {
      const before = first.get(label) ?? value;
      first.set(label, before);
      const [line, column] = step.at;
      if (before !== value)
        reading.report(problems.labelsApart({ line, column, endColumn: column + 1 }, label, before, value));
    }
  }
}

/** The policy of the named task applies to a call without a policy of its own. */
function takeRulesOfBlocks(plan: Plan): void {
  for (const task of plan.steps.flatMap((step) => step.tasks)) {
    if (!isNamedCall(task) || task.rules !== undefined) continue;
    const name = String(task.input.name);
    const rules = Object.hasOwn(plan.blocks, name) ? plan.blocks[name]!.rules : undefined;
    if (rules) task.rules = rules;
  }
}

/** Without the outer layers: those come from the call. */
function compileBlocks(reading: Reading, blocks: readonly LabelledTask[]): Record<string, Task> {
  const compiled = blocks.map((block) => {
    const scope = { labels: new Set([block.label]), parallel: false, path: `workbook/${block.label}` };
    return compileTask(reading, block, [], scope);
  });
  return Object.fromEntries(compiled.map((task) => [task.label, task]));
}
