/** One step: admission, args, loop, pipeline, router. */
import { type AdmitRule, type Arc, JOIN_MODES, type JsonObject, type Router, type Step } from '@woof/net';
import { describe } from '../yaml/reading.ts';
import { child, type MapNode, mapToJson, type Node } from '../yaml/tree.ts';
import { takePolicy } from './control.ts';
import { problems } from './diagnostics.ts';
import { checkKnobs } from './knobs.ts';
import { compileLoop, FAILURES, type Failure } from './loop.ts';
import { normaliseNext, normaliseTasks } from './normalise.ts';
import type { Reading } from './reading.ts';
import { type Rule, readRules } from './rules.ts';
import type { Executor } from './sections.ts';
import { layerOf } from './spec-layers.ts';
import { compileTask } from './task.ts';
import { checkTemplates, takeGuard } from './templates.ts';
import { takeLabels } from './worker-labels.ts';

const STEP_KEYS = ['step', 'desc', 'spec', 'args', 'loop', 'tool', 'set_ctx', 'next'];
const MODES = ['exclusive', 'inclusive'] as const;

/** A name and its step, before the step is compiled. */
export interface NamedStep {
  name: string;
  body: MapNode;
  at: Node;
}

/** `names` are all steps, for arcs. */
export function compileStep(
  reading: Reading,
  { name, body }: NamedStep,
  executor: Pick<Executor, 'layers' | 'labels'>,
  names: ReadonlySet<string>,
): Step {
  refuseStepKeys(reading, body);
  const spec = reading.takeMap(child(body, 'spec'), "a step's spec");
  const admit = compileStepSpec(reading, spec, name);
  const failure = takeFailure(reading, body, spec);
  const { loop, layers, parallel } = compileLoop(reading, child(body, 'loop'), `${name}/loop`, failure);
  const own = layerOf(reading, spec, ['join', 'next_mode', 'labels']);
  const specLayers = [...executor.layers, ...own, ...layers];
  const labelled = normaliseTasks(reading, child(body, 'tool'));
  const labels = new Set(labelled.map((task) => task.label));
  const ofWorker = { ...executor.labels, ...takeLabels(reading, spec) };
  const tasks = labelled.map((task) =>
    compileTask(reading, task, specLayers, { labels, parallel, path: `${name}/tool/${task.label}` }),
  );
  const tool = child(body, 'tool');
  const hasTool = tool?.type === 'list' ? tool.items.length > 0 : tool !== undefined;
  if (!hasTool && !child(body, 'next')) reading.report(problems.deadEnd(reading.keySpan(body), name));
  return {
    name,
    ...optional('desc', takeDesc(reading, child(body, 'desc'))),
    at: reading.position(body),
    join: reading.takeWord(child(spec, 'join'), 'spec.join', JOIN_MODES) ?? 'each',
    ...optional('labels', Object.keys(ofWorker).length > 0 ? ofWorker : undefined),
    admit,
    ...optional('args', takeData(reading, child(body, 'args'), 'args', `${name}/args`)),
    ...optional('setCtx', takeData(reading, child(body, 'set_ctx'), 'set_ctx', `${name}/set_ctx`)),
    ...optional('loop', loop),
    tasks,
    next: compileNext(reading, child(body, 'next'), name, names),
  };
}

function refuseStepKeys(reading: Reading, body: MapNode): void {
  const when = body.entries.get('when');
  if (when) reading.report(problems.stepWhen(reading.span(when.at)));
  const policy = body.entries.get('policy');
  if (policy) reading.report(problems.policyOutsideSpec(reading.span(policy.at), 'a step'));
  reading.checkKeys(body, 'a step', STEP_KEYS, ['when', 'policy']);
}

/** What a failed iteration means for the step. */
function takeFailure(reading: Reading, body: MapNode, spec: MapNode | undefined): Failure | undefined {
  const policy = child(spec, 'policy');
  const node = policy?.type === 'map' ? child(policy, 'failure') : undefined;
  const failure = reading.takeWord(node, 'policy.failure', FAILURES);
  if (node && !child(body, 'loop')) reading.report(problems.failureWithoutLoop(reading.span(node)));
  return failure;
}

function compileStepSpec(reading: Reading, spec: MapNode | undefined, step: string): AdmitRule[] {
  checkKnobs(reading, spec, "a step's spec", ['policy', 'join', 'next_mode', 'labels']);
  const nextMode = spec?.entries.get('next_mode');
  if (nextMode) reading.report(problems.nextMode(reading.span(nextMode.at)));
  const policy = takePolicy(reading, child(spec, 'policy'), "a step's policy", ['admit', 'failure']);
  const admit = reading.takeMap(child(policy, 'admit'), 'policy.admit');
  if (!admit) return [];
  reading.checkKeys(admit, 'policy.admit', ['rules', 'mode']);
  // The first matching rule decides, which is what the word means.
  reading.takeWord(child(admit, 'mode'), 'policy.admit.mode', ['exclusive']);
  const rules = reading.takeList(child(admit, 'rules'), 'admit.rules');
  if (!rules) {
    if (!child(admit, 'rules'))
      reading.report(problems.missing(reading.span(admit), 'policy.admit', 'rules'));
    return [];
  }
  const compiled = readRules(reading, rules).map((rule, i) =>
    compileAdmit(reading, rule, `${step}/admit/${i}`),
  );
  return compiled.filter((rule) => rule !== undefined);
}

function compileAdmit(reading: Reading, rule: Rule, path: string): AdmitRule | undefined {
  const when = takeGuard(reading, rule.when, `${path}/when`);
  const allow = rule.then && child(rule.then, 'allow');
  // A rule that directs the pipeline is refused as such, with the whole policy.
  if (rule.then?.entries.has('do')) return undefined;
  if (!rule.then || !allow) return reading.report(problems.noAllow(reading.keySpan(rule.then ?? rule.node)));
  reading.checkKeys(rule.then, '`then`', ['allow']);
  if (allow.type !== 'scalar' || typeof allow.value !== 'boolean') {
    return reading.report(problems.wrongType(reading.span(allow), 'allow', 'true or false', describe(allow)));
  }
  return { ...optional('when', when), allow: allow.value };
}

function compileNext(
  reading: Reading,
  next: Node | undefined,
  step: string,
  names: ReadonlySet<string>,
): Router {
  const { spec, arcs } = normaliseNext(reading, next);
  if (spec) reading.checkKeys(spec, 'next.spec', ['mode', 'policy']);
  takePolicy(reading, child(spec, 'policy'), 'next.spec.policy');
  const mode = reading.takeWord(child(spec, 'mode'), 'next.spec.mode', MODES) ?? 'exclusive';
  const compiled = arcs.map((arc, i) => compileArc(reading, arc, `${step}/next/${i}`, names));
  return { mode, arcs: compiled.filter((arc) => arc !== undefined) };
}

function compileArc(
  reading: Reading,
  arc: MapNode,
  path: string,
  names: ReadonlySet<string>,
): Arc | undefined {
  reading.checkKeys(arc, 'an arc', ['step', 'when', 'args', 'spec']);
  takePolicy(reading, child(arc, 'spec'), "an arc's spec");
  const when = takeGuard(reading, child(arc, 'when'), `${path}/when`);
  const args = takeData(reading, child(arc, 'args'), 'args', `${path}/args`);
  const target = child(arc, 'step');
  const step = reading.takeRequiredText(arc, 'step', 'the arc');
  if (!target || step === undefined) return undefined;
  if (!names.has(step)) reading.report(problems.unknownStep(reading.span(target), step, names));
  return { step, ...optional('when', when), ...optional('args', args), at: reading.position(arc) };
}

/** Prose: any scalar is taken as text. */
function takeDesc(reading: Reading, node: Node | undefined): string | undefined {
  return node?.type === 'scalar' ? String(node.value) : reading.takeText(node, 'desc');
}

/** A map of values that may contain templates. */
function takeData(
  reading: Reading,
  node: Node | undefined,
  what: string,
  path: string,
): JsonObject | undefined {
  const map = reading.takeMap(node, what);
  if (map) checkTemplates(reading, map, path);
  return map && mapToJson(map);
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}
