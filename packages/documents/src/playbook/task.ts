/** One task of a pipeline, or one block of the workbook. */
import { isTemplate } from '@woof/expr';
import {
  define,
  type FieldSchema,
  isNamedCall,
  type JsonObject,
  type Task,
  type ToolSchema,
} from '@woof/net';
import { describe } from '../yaml/reading.ts';
import { child, isNull, type MapNode, type Node, textOf, toJson } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import { checkKnobs } from './knobs.ts';
import type { LabelledTask } from './normalise.ts';
import type { Reading } from './reading.ts';
import { refuseSecretsByData } from './secrets-by-data.ts';
import { effectiveSpec, type Layer, layerOf } from './spec-layers.ts';
import { compileTaskPolicy, type PolicyScope } from './task-policy.ts';
import { checkTemplates } from './templates.ts';

const REFUSED = ['policy'];
/** The kind of a refused task; its label, its rules and its templates are still known. */
export const UNKNOWN_KIND = '';

export function compileTask(
  reading: Reading,
  task: LabelledTask,
  layers: readonly Layer[],
  scope: PolicyScope,
): Task {
  const { label, body } = task;
  const schema = takeSchema(reading, body);
  refuseMisplaced(reading, body, schema);
  const spec = reading.takeMap(child(body, 'spec'), "a task's spec");
  checkKnobs(reading, spec, "a task's spec", ['policy']);
  if (spec && schema) warnIdleKnobs(reading, spec, schema);
  const policy = child(spec, 'policy');
  const rules = policy && compileTaskPolicy(reading, policy, scope);
  const input = compileInput(reading, task, scope.path);
  const own = layerOf(reading, spec && withoutPolicy(spec), []);
  const effective = effectiveSpec(reading, schema, [...layers, ...own], `${scope.path}/spec`);
  if (schema) checkFields(reading, body, schema, task.named);
  if (schema && isNamedCall(schema)) checkBlock(reading, child(body, 'name'));
  const at = reading.position(task.at);
  return {
    label,
    kind: schema?.kind ?? UNKNOWN_KIND,
    at,
    input,
    spec: effective,
    ...(rules ? { rules } : {}),
  };
}

/** Settings for code on a task that runs none. A named task takes the settings of its call. */
function warnIdleKnobs(reading: Reading, spec: MapNode, schema: ToolSchema): void {
  if (schema.runsCode || isNamedCall(schema)) return;
  for (const knob of ['memory_mb', 'env', 'io_policy']) {
    const entry = spec.entries.get(knob);
    if (entry && !Object.hasOwn(schema.defaults ?? {}, knob))
      reading.report(problems.idleField(reading.span(entry.at), knob, 'a tool kind that runs code'));
  }
}

/** Rules are checked separately, so the spec is checked without them. */
function withoutPolicy(spec: MapNode): MapNode {
  const entries = new Map(spec.entries);
  entries.delete('policy');
  return { ...spec, entries };
}

function takeSchema(reading: Reading, body: MapNode): ToolSchema | undefined {
  const node = child(body, 'kind');
  if (!node) return reading.report(problems.noKind(reading.keySpan(body)));
  const kind = reading.takeText(node, 'kind');
  if (kind === undefined) return undefined;
  const schema = reading.kinds.get(kind);
  return schema ?? reading.report(problems.unknownKind(reading.span(node), kind, [...reading.kinds.keys()]));
}

function refuseMisplaced(reading: Reading, body: MapNode, schema: ToolSchema | undefined): void {
  const isField = (key: string) => schema !== undefined && Object.hasOwn(schema.fields, key);
  const policy = body.entries.get('policy');
  if (policy && !isField('policy'))
    reading.report(problems.policyOutsideSpec(reading.span(policy.at), 'a task'));
}

function compileInput(reading: Reading, task: LabelledTask, path: string): JsonObject {
  const input: JsonObject = {};
  for (const { key, value } of task.body.entries.values()) {
    if (key === 'kind' || key === 'spec' || (key === 'name' && task.named) || key.startsWith('x-')) continue;
    checkTemplates(reading, value, `${path}/${key}`);
    if (key === 'code' && value.type === 'scalar') reading.placeCode(`${path}/code`, value);
    refuseSecretsByData(reading, key, value, textOf(child(task.body, 'kind')) ?? '');
    define(input, key, toJson(value));
  }
  return input;
}

function checkFields(reading: Reading, body: MapNode, schema: ToolSchema, named: boolean): void {
  const known = [...Object.keys(schema.fields), 'kind', 'spec', ...(named ? ['name'] : [])];
  reading.checkKeys(body, `a task of kind ${schema.kind}`, known, REFUSED);
  for (const [name, field] of Object.entries(schema.fields)) {
    const node = child(body, name);
    if (node && !(named && name === 'name')) checkField(reading, schema.kind, node, name, field);
  }
  refuseSameFields(reading, body, schema);
  for (const group of schema.needs ?? []) {
    if (group.some((field) => child(body, field) !== undefined || isUnderSpec(body, field))) continue;
    reading.report(problems.needs(reading.keySpan(body), schema.kind, group));
  }
}

/** Only one of them would count. Maps under two names are merged. */
function refuseSameFields(reading: Reading, body: MapNode, { fields }: ToolSchema): void {
  const given = new Map<string, string>();
  for (const { key, at, value } of body.entries.values()) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined || isNull(value) || (field.sameAs && field.type === 'object')) continue;
    const meant = field.sameAs ?? field.insteadOf ?? key;
    const first = given.get(meant);
    if (first !== undefined) reading.report(problems.sameField(reading.span(at), key, first));
    else given.set(meant, key);
  }
}

/** It is already reported there, as misplaced. */
function isUnderSpec(body: MapNode, field: string): boolean {
  const spec = child(body, 'spec');
  return spec?.type === 'map' && child(spec, field) !== undefined;
}

function checkBlock(reading: Reading, node: Node | undefined): void {
  const name = textOf(node);
  if (!node || name === undefined || isTemplate(name) || reading.blocks.has(name)) return;
  reading.report(problems.unknownBlock(reading.span(node), name, reading.blocks));
}

/** Whatever else a tool takes there, it receives the contents of the entry. */
function namesSecret(reading: Reading, field: string, value: string): boolean {
  return (field === 'auth' || field === 'credential') && reading.secrets.has(value);
}

/** A word, not an address. */
function wantsSecret(field: string, value: string): boolean {
  return (field === 'auth' || field === 'credential') && /^[\w.-]+$/.test(value);
}

function checkField(reading: Reading, kind: string, node: Node, name: string, field: FieldSchema): void {
  const value = node.type === 'scalar' ? node.value : undefined;
  if (typeof value === 'string' && (isTemplate(value) || namesSecret(reading, name, value))) return;
  const fit = fitOf(node, field.type);
  const at = reading.span(node);
  if (fit === 'no') reading.report(problems.wrongType(at, `\`${name}\``, nameOf(field.type), describe(node)));
  if (fit === 'loose')
    reading.report(problems.looseType(at, `\`${name}\``, nameOf(field.type), describe(node)));
  if (typeof value === 'string' && field.type === 'any' && wantsSecret(name, value))
    reading.report(problems.unknownSecret(at, value, [...reading.secrets], { tool: kind }));
  if (!field.oneOf || typeof value !== 'string') return;
  const isKnown = field.oneOf.some((word) => word.toLowerCase() === value.toLowerCase());
  if (!isKnown) reading.report(problems.notOneOf(at, `\`${name}\``, value, field.oneOf));
}

/** `loose`: another scalar that a tool can read as the type, e.g. `version: 2` for text. */
function fitOf(node: Node, type: FieldSchema['type']): 'yes' | 'loose' | 'no' {
  if (type === 'any') return 'yes';
  if (type === 'object') return node.type === 'map' ? 'yes' : 'no';
  if (type === 'list') return node.type === 'list' ? 'yes' : 'no';
  if (node.type !== 'scalar') return 'no';
  if (typeof node.value === type) return 'yes';
  if (type === 'string') return 'loose';
  return typeof node.value === 'string' && readsAs(node.value, type) ? 'loose' : 'no';
}

function readsAs(text: string, type: 'number' | 'boolean'): boolean {
  if (type === 'boolean') return /^(true|false|yes|no|on|off)$/i.test(text);
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function nameOf(type: FieldSchema['type']): string {
  if (type === 'object') return 'a map';
  return type === 'string' ? 'text' : `a ${type}`;
}
