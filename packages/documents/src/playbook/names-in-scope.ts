/**
 * The names that templates can read at each place of a plan, and what is known about their values.
 *
 * Owns: which names there are (`net/src/scope.ts` looks them up). A value whose keys cannot be known has no shape:
 * results, items of loops, values from a caller.
 */
import {
  isNamedCall,
  isObject,
  type Json,
  type JsonObject,
  type Loop,
  type Plan,
  type Step,
  type Task,
} from '@woof/net';

import { UNKNOWN_KIND } from './task.ts';

export interface Shape {
  /** Searched in turn; a key without a shape may hold anything. */
  layers: readonly ReadonlyMap<string, Shape | undefined>[];
  /** Whoever starts the run may provide more keys than the document names. */
  isOpen?: boolean;
  /** A result of code: none of its keys is treated as a typo of a known one. */
  isAnything?: boolean;
}

const ERROR = shape(
  'kind retryable message code http_status retry_after pg_code exception_type details'.split(' '),
);
/** Tools of other packages may add keys of their own. */
const OUTCOME: Shape = {
  layers: [
    new Map<string, Shape | undefined>([
      ...keys('status result meta http pg py outputs cached'),
      ['error', { ...ERROR, isOpen: true }],
    ]),
  ],
  isOpen: true,
};
const EVENT = shape(['name', 'step'], [['payload', shape(['result', 'status'], [['error', ERROR]])]]);
const IN_LOOP = keys('_index loop_index _first _last');
const ITERATION = shape('index first last length done'.split(' '));
const LOOP_END = shape('total succeeded failed length done'.split(' '));
const LOOP_RESULT = shape(['results', 'errors'], [['stats', shape('total succeeded failed'.split(' '))]]);
const NOTHING = shape([]);
const CALL_KEYS = ['name', 'args'];

export class NamesInScope {
  /** The step whose loop binds each iterator. */
  readonly iterators: ReadonlyMap<string, string>;
  readonly #everywhere: ReadonlyMap<string, Shape | undefined>;
  readonly #args: Shape;
  readonly #tasks: readonly Task[];
  readonly #blockIter: readonly string[];
  readonly #blockVars: readonly string[];

  constructor(private readonly plan: Plan) {
    const tasks = [...plan.steps.flatMap((step) => step.tasks), ...Object.values(plan.blocks)];
    this.#tasks = tasks;
    this.iterators = new Map(
      plan.steps.flatMap(({ name, loop }) => loopsOf(loop).map(({ iterator }) => [iterator, name])),
    );
    const ctx = [
      ...plan.steps.flatMap((step) => keysOf(step.setCtx)),
      ...patched(tasks, 'set_ctx'),
      ...patched(tasks, 'set_shared'),
    ];
    const args = plan.steps.flatMap((step) => [
      ...keysOf(step.args),
      ...step.next.arcs.flatMap((arc) => keysOf(arc.args)),
    ]);
    const workload = shapeOf(plan.workload);
    this.#args = shape(args);
    this.#blockIter = patched(Object.values(plan.blocks), 'set_iter');
    this.#blockVars = patched(Object.values(plan.blocks), 'set_vars');
    this.#everywhere = new Map<string, Shape | undefined>([
      ...(workload?.layers[0] ?? []),
      ...plan.steps.map((step) => [step.name, stepShape(step)] as const),
      ...keys([...tasks.map((task) => task.label), ...ctx, ...args]),
      ['workload', workload],
      ['ctx', shape(ctx)],
      ['args', this.#args],
      ['input', this.#args],
      ['vars', NOTHING],
      ['results', NOTHING],
      ['iter', iterShape([], [])],
      ['job', shape(['uuid'])],
      ...keys('keychain execution_id'),
    ]);
  }

  admission(): Shape {
    return this.#with([['event', EVENT]]);
  }

  /** In a looped step they are evaluated per iteration. */
  args(step: Step): Shape {
    return this.#with(iterationNames(loopsOf(step.loop), []));
  }

  /** `outer` are the loops around the one that starts. */
  loop(outer: readonly Loop[]): Shape {
    return this.#with(iterationNames(outer, []));
  }

  task(step: Step): Shape {
    return this.#with(this.#inPipeline(step));
  }

  rule(step: Step): Shape {
    return this.#with([...this.#inPipeline(step), ['outcome', OUTCOME]]);
  }

  /** `set_ctx` of a step, and its arcs. */
  end(step: Step): Shape {
    const loop = step.loop ? ([['loop', LOOP_END]] as const) : [];
    return this.#with([['event', EVENT], ['_prev', undefined], ...loop]);
  }

  /** A task of the workbook sees what the steps that call it see. */
  block(block: Task): Shape {
    const { plan } = this;
    const args = this.#argsOfCalls(block);
    const iterators = plan.steps.flatMap((step) => loopsOf(step.loop).map((loop) => loop.iterator));
    return this.#with([
      ...keys([...iterators, 'iter', 'vars', 'results', 'loop', '_prev', '_task', '_attempt']),
      ...IN_LOOP,
      ...(args?.layers.flatMap((layer) => [...layer]) ?? []),
      ['args', args],
      ['input', args],
    ]);
  }

  blockRule(block: Task): Shape {
    const { layers } = this.block(block);
    return { layers: [new Map([['outcome', OUTCOME]]), ...layers], isOpen: true };
  }

  /** Unknown if nothing calls it by its name, which may be computed, or if a task of unknown kind may call it. */
  #argsOfCalls({ label }: Task): Shape | undefined {
    if (this.#tasks.some((task) => task.kind === UNKNOWN_KIND)) return undefined;
    const calls = this.#tasks.filter((task) => isNamedCall(task) && task.input.name === label);
    // The value of another key may be meant as `args`.
    if (calls.some(({ input }) => Object.keys(input).some((key) => !CALL_KEYS.includes(key))))
      return undefined;
    const given = calls.map((task) => task.input.args ?? {});
    if (given.length === 0 || !given.every(isObject)) return undefined;
    return { layers: [new Map(keys(given.flatMap(keysOf))), ...this.#args.layers] };
  }

  keychain(): Shape {
    const workload = shapeOf(this.plan.workload);
    const own = new Map([['workload', workload], ...keys('keychain execution_id')]);
    return { layers: [own, ...(workload?.layers ?? [])], isOpen: true };
  }

  #inPipeline(step: Step): Names {
    return [
      ...iterationNames(loopsOf(step.loop), [...patched(step.tasks, 'set_iter'), ...this.#blockIter]),
      ['vars', shape([...patched(step.tasks, 'set_vars'), ...this.#blockVars])],
      ['results', shape(step.tasks.map((task) => task.label))],
      ...keys('_prev _task _attempt'),
    ];
  }

  /** Keys of the workload are names too, and a run may receive any. */
  #with(names: Names): Shape {
    return { layers: [new Map(names), this.#everywhere], isOpen: true };
  }
}

type Names = readonly (readonly [string, Shape | undefined])[];

function iterationNames(loops: readonly Loop[], scratch: readonly string[]): Names {
  if (loops.length === 0) return [['iter', iterShape(loops, scratch)]];
  const iterators = loops.map((loop) => loop.iterator);
  return [...keys(iterators), ...IN_LOOP, ['iter', iterShape(loops, scratch)], ['loop', ITERATION]];
}

/** Outside the outermost loop there may be the iteration of a calling playbook. */
function iterShape(loops: readonly Loop[], scratch: readonly string[]): Shape {
  const around = loops.slice(0, -1);
  const parent = around.length === 0 ? undefined : iterShape(around, []);
  const iterator = loops.at(-1)?.iterator;
  return shape([...(iterator === undefined ? [] : [iterator]), 'index', ...scratch], [['parent', parent]]);
}

/** Its result, which may be anything unless it is that of a loop, and its labelled tasks. */
function stepShape({ loop, tasks }: Step): Shape | undefined {
  if (loop) return LOOP_RESULT;
  if (tasks.length === 0) return undefined;
  const labels: Shape = { ...shape(tasks.map((task) => task.label)), isOpen: true };
  return { ...shape([], [['results', labels]]), isAnything: true };
}

export function loopsOf(loop: Loop | undefined): Loop[] {
  return loop ? [loop, ...loopsOf(loop.inner)] : [];
}

function patched(
  tasks: readonly Task[],
  patch: 'set_ctx' | 'set_shared' | 'set_iter' | 'set_vars',
): string[] {
  return tasks.flatMap((task) => (task.rules ?? []).flatMap(({ then }) => keysOf(then[patch])));
}

/** The document's values are only defaults: a run may receive more. */
function shapeOf(value: Json): Shape | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  const entries = Object.entries(value).map(([key, item]) => [key, shapeOf(item)] as const);
  return { layers: [new Map(entries)], isOpen: true };
}

function shape(names: readonly string[], more: Names = []): Shape {
  return { layers: [new Map([...keys(names), ...more])] };
}

function keys(names: readonly string[] | string): [string, undefined][] {
  return (typeof names === 'string' ? names.split(' ') : names).map((name) => [name, undefined]);
}

function keysOf(value: Json | JsonObject | undefined): string[] {
  return isObject(value) ? Object.keys(value) : [];
}
