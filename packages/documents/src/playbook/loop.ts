/** `step.loop`, and the loops inside it. */
import { isTemplate } from '@woof/expr';
import { type Json, type Loop, RESERVED_NAMES } from '@woof/net';
import { describe } from '../yaml/reading.ts';
import { child, type MapNode, type Node, textOf, toJson } from '../yaml/tree.ts';
import { takePolicy } from './control.ts';
import { problems } from './diagnostics.ts';
import { checkKnobs } from './knobs.ts';
import type { Reading } from './reading.ts';
import { type Layer, layerOf } from './spec-layers.ts';
import { takeNumber } from './task-policy.ts';
import { checkTemplates } from './templates.ts';

const MODES = ['sequential', 'parallel'] as const;
const EXECS = ['distributed', 'local'] as const;
export const FAILURES = ['fail_fast', 'best_effort'] as const;
export type Failure = (typeof FAILURES)[number];
const OWN = ['mode', 'max_in_flight'];
const DEFAULT_IN_FLIGHT = 10;
/** Every iteration has these; the other reserved names mean the same everywhere. */
const TAKEN: ReadonlySet<string> = new Set(['index', 'parent', ...RESERVED_NAMES]);

interface CompiledLoop {
  loop?: Loop;
  /** The spec layers of this loop and those inside it, outermost first. */
  layers: Layer[];
  parallel: boolean;
}

/** `failure` is what the step sets for all its loops. */
export function compileLoop(
  reading: Reading,
  node: Node | undefined,
  path: string,
  failure: Failure = 'fail_fast',
): CompiledLoop {
  const map = reading.takeMap(node, 'a loop');
  if (!map) return { layers: [], parallel: false };
  reading.checkKeys(map, 'a loop', ['in', 'iterator', 'spec', 'loop']);
  const spec = reading.takeMap(child(map, 'spec'), 'loop.spec');
  checkKnobs(reading, spec, 'loop.spec', ['policy', ...OWN]);
  const over = takeCollection(reading, map, path);
  const iterator = takeIterator(reading, map);
  const knobs = compileKnobs(reading, spec, path, failure);
  const inner = compileLoop(reading, child(map, 'loop'), `${path}/inner`, failure);
  const layers = [...layerOf(reading, spec, OWN), ...inner.layers];
  const parallel = knobs.mode === 'parallel' || inner.parallel;
  if (iterator === undefined) return { layers, parallel };
  // A loop without a collection is refused, but it still binds its names.
  const loop = { in: over ?? [], iterator, ...knobs, ...(inner.loop ? { inner: inner.loop } : {}) };
  return { loop, layers, parallel };
}

function takeCollection(reading: Reading, map: MapNode, path: string): Json | undefined {
  const node = child(map, 'in');
  if (!node) return reading.report(problems.missing(reading.keySpan(map), 'the loop', 'in'));
  checkTemplates(reading, node, `${path}/in`);
  const value = toJson(node);
  if (Array.isArray(value) || (typeof value === 'string' && isTemplate(value))) return value;
  return reading.report(problems.loopIn(reading.span(node), describe(node)));
}

export const isIterator = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !TAKEN.has(name);

function takeIterator(reading: Reading, map: MapNode): string | undefined {
  const node = child(map, 'iterator');
  const name = reading.takeRequiredText(map, 'iterator', 'the loop');
  if (!node || name === undefined) return undefined;
  if (isIterator(name)) return name;
  return reading.report(problems.badIterator(reading.span(node), name));
}

function compileKnobs(
  reading: Reading,
  spec: MapNode | undefined,
  path: string,
  ofStep: Failure,
): Omit<Loop, 'in' | 'iterator' | 'inner'> {
  const asked = textOf(child(spec, 'mode'));
  const mode = reading.takeWord(child(spec, 'mode'), 'loop.spec.mode', MODES) ?? 'sequential';
  const policy = takePolicy(reading, child(spec, 'policy'), "a loop's policy", ['exec', 'failure']);
  const exec = reading.takeWord(child(policy, 'exec'), 'policy.exec', EXECS) ?? 'distributed';
  const failure = reading.takeWord(child(policy, 'failure'), 'policy.failure', FAILURES) ?? ofStep;
  const cap = child(spec, 'max_in_flight');
  if (cap) checkTemplates(reading, cap, `${path}/max_in_flight`);
  const given = cap && takeNumber(reading, cap, 'max_in_flight', 1, true);
  if (cap && (asked ?? 'sequential') === 'sequential' && given !== undefined && given !== 1) {
    const at = reading.span(spec!.entries.get('max_in_flight')!.at);
    reading.report(problems.idleField(at, 'max_in_flight', '`mode: parallel`'));
  }
  return { mode, maxInFlight: mode === 'parallel' ? (given ?? DEFAULT_IN_FLIGHT) : 1, exec, failure };
}
