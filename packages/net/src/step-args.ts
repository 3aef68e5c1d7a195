/**
 * A step's own `args`, laid over those that its token brought.
 *
 * In a looped step they are evaluated per iteration and may read it. The loop itself is decided before there is an
 * iteration, so it sees only those that do not read one.
 */
import { compile, isTemplate } from '@woof/expr';
import type { Json, JsonObject } from './json.ts';
import type { Loop, Step } from './plan.ts';
import { renderObject, type Site } from './render.ts';

const OF_ITERATION = ['iter', 'loop', '_index', 'loop_index', '_first', '_last'];

/** Evaluated when the step is scheduled; undefined if it has none. */
export function argsOfRun({ args, loop }: Step, site: Site): JsonObject | undefined {
  if (args === undefined || loop === undefined) return args && renderObject(args, site, '/args');
  const names = new Set([...OF_ITERATION, ...iterators(loop)]);
  const once = Object.entries(args).filter(([, value]) => !reads(value, names));
  return renderObject(Object.fromEntries(once), site, '/args');
}

/** Evaluated when the pipeline of an iteration begins. */
export function argsOfIteration({ args = {} }: Step, site: Site): JsonObject {
  return renderObject(args, site, '/args');
}

function iterators({ iterator, inner }: Loop): string[] {
  return inner ? [iterator, ...iterators(inner)] : [iterator];
}

function reads(value: Json, names: ReadonlySet<string>): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((item) => reads(item, names));
  if (typeof value !== 'string' || !isTemplate(value)) return false;
  return [...(compile(value).template?.names ?? [])].some((name) => names.has(name));
}
