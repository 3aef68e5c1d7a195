/** One stage to its steps: one, or one per combination of its matrix. */
import type { JsonObject, MatrixPlace, PolicyRule, Position, Step, Task } from '@woof/net';
import { child, type Entry, type MapNode } from '../yaml/tree.ts';
import { takeCondition } from './condition.ts';
import { DEFAULTS } from './defaults.ts';
import { problems } from './diagnostics.ts';
import type { NamedStage } from './edges.ts';
import { compileBlock, TIMEOUT } from './exec-block.ts';
import { CONFIG_KEYS, STAGE_KEYS, STAGE_KINDS, type StageKind } from './keys.ts';
import { type Combination, takeMatrix } from './matrix.ts';
import { optional } from './optional.ts';
import { warnOfPolicy } from './policy.ts';
import type { Reading } from './reading.ts';
import { substituteStage } from './substitute.ts';

const BACKOFFS = ['none', 'linear', 'exponential'] as const;
const DELAY = { least: 0, most: 86_400 };

export interface CompiledStage {
  id: string;
  steps: Step[];
  isMatrix: boolean;
}

export function compileStage(reading: Reading, { id, body }: NamedStage): CompiledStage {
  const matrix = child(body, 'matrix');
  const combinations = matrix ? takeMatrix(reading, matrix, body.size) : undefined;
  const kind = reading.takeWord(child(body, 'kind'), 'kind', STAGE_KINDS) ?? DEFAULTS.kind;
  const isKnown = child(body, 'kind') === undefined || isKind(child(body, 'kind')!);
  if (isKnown) reading.checkKeys(body, nameOf(kind), [...STAGE_KEYS, ...CONFIG_KEYS[kind]]);
  const condition = takeCondition(reading, id, child(body, 'if'), combinations?.[0]);
  const made = (combinations ?? [undefined]).map((combination, index): Step => {
    const name = combination ? `${id}@${combination.suffix}` : id;
    const filled = substituteStage(reading, body, combination);
    const place = combination && placeOf(id, combination, index, combinations!.length);
    return {
      name,
      ...optional({ desc: reading.takeWords(filled, 'description') }),
      at: reading.position(body),
      join: 'all',
      ...labelsOf(reading, filled),
      admit: condition?.admitOf(name, combination) ?? [],
      tasks: isKnown ? tasksOf(reading, id, kind, filled, place) : [],
      next: { mode: 'inclusive', arcs: [] },
    };
  });
  return { id, steps: made, isMatrix: combinations !== undefined };
}

const isKind = (node: { type: string; value?: unknown }) => STAGE_KINDS.some((kind) => kind === node.value);
const nameOf = (kind: StageKind) => (kind === 'exec_block' ? 'an exec_block stage' : `a ${kind} stage`);

function placeOf(group: string, { values }: Combination, index: number, count: number): MatrixPlace {
  const plain = [...values].map(([key, { value }]) => [key, value]);
  return { group, values: Object.fromEntries(plain), index, count };
}

function labelsOf(reading: Reading, stage: MapNode): { labels?: Record<string, string> } {
  const labels = reading.takeTextMap(child(stage, 'labels'), 'labels');
  return Object.keys(labels).length > 0 ? { labels } : {};
}

function tasksOf(
  reading: Reading,
  id: string,
  kind: StageKind,
  stage: MapNode,
  matrix: MatrixPlace | undefined,
): Task[] {
  const config = configOf(reading, kind, stage);
  const at = reading.position(stage);
  if (kind === 'gate') return [task('gate', 'gate', at, gateInput(reading, config))];
  if (kind === 'noop') return [];
  const before = reading.diagnostics.length;
  const input = { ...compileBlock(reading, id, config), ...optional({ matrix }) };
  // If the block itself has problems, the policy would only repeat them.
  if (reading.diagnostics.length === before) warnOfPolicy(reading, config, input);
  const rules = retryRules(reading, config, input.max_attempts);
  return [{ ...task('run', 'exec', at, input as unknown as JsonObject), ...optional({ rules }) }];
}

const task = (label: string, kind: string, at: Position, input: JsonObject): Task => ({
  label,
  kind,
  at,
  input,
  spec: {},
});

/** `config`, together with those of its keys that are on the stage itself. */
function configOf(reading: Reading, kind: StageKind, stage: MapNode): MapNode {
  const config = reading.takeMap(child(stage, 'config'), 'config');
  if (config) reading.checkKeys(config, `\`config\` of ${nameOf(kind)}`, CONFIG_KEYS[kind]);
  const entries = new Map<string, Entry>(config?.entries);
  for (const key of CONFIG_KEYS[kind]) {
    const entry = stage.entries.get(key);
    if (!entry) continue;
    if (entries.has(key)) reading.report(problems.saidTwice(reading.span(entry.at), key));
    entries.set(key, entry);
  }
  return { ...(config ?? stage), entries };
}

function gateInput(reading: Reading, config: MapNode): JsonObject {
  const approvers = child(config, 'approvers');
  if (approvers?.type === 'list' && approvers.items.length === 0)
    reading.report(problems.noApprovers(reading.span(approvers)));
  return optional({
    message: reading.takeWords(config, 'message'),
    approvers: approvers && reading.takeTexts(approvers, 'approvers'),
    timeout_sec: reading.takeNumber(config, 'timeout_sec', TIMEOUT),
  }) as JsonObject;
}

/** The tool decides which failures another attempt may fix: not those that a person or the policy decided. */
function retryRules(
  reading: Reading,
  config: MapNode,
  attempts: number | undefined,
): PolicyRule[] | undefined {
  const backoff = reading.takeWord(child(config, 'backoff'), 'backoff', BACKOFFS) ?? DEFAULTS.backoff;
  const delay = reading.takeNumber(config, 'delay_sec', DELAY) ?? DEFAULTS.delay_sec;
  if (attempts === 1 || child(config, 'max_attempts') === undefined) warnIdle(reading, config);
  if (attempts === undefined || attempts === 1) return undefined;
  return [
    {
      when: "{{ outcome.status == 'error' and outcome.error.retryable }}",
      then: { do: 'retry', attempts, backoff, delay },
    },
    { when: "{{ outcome.status == 'error' }}", then: { do: 'fail' } },
    { then: { do: 'continue' } },
  ];
}

function warnIdle(reading: Reading, config: MapNode): void {
  for (const key of ['backoff', 'delay_sec']) {
    const entry = config.entries.get(key);
    if (entry) reading.report(problems.idleKey(reading.span(entry.at), key, '`max_attempts` above 1'));
  }
}
