/**
 * What a job sees of other steps: their results as the log has them when the job is leased.
 *
 * Owns: one value per version of those results, which jobs in this process and in others receive alike. Does not own:
 * which names a template finds in it (net).
 * Invariant: what a job received never changes. Values are shared, names are not.
 */
import type { Json, JsonObject, Plan, ShownStep, State, World } from '@woof/net';
import { Bindings } from './bindings.ts';

export class Sight {
  private steps: Bindings<ShownStep>;
  private labels: Bindings<Json>;
  /** The last version handed out; absent: results have changed since. */
  private given: World | undefined;

  constructor(private readonly state: State) {
    const ended = [...state.steps].filter(([, { result }]) => result !== undefined);
    const places = placesOf(state.plan);
    const shown = ended.map(([name, summary]) => [name, shownOf(summary)] as const);
    this.steps = Bindings.of(shown, places.steps);
    this.labels = Bindings.of(Object.entries(state.labels), places.labels);
  }

  /** A step has a new result, or no longer has one, and `labels` may have new values. */
  changed(step: string, labels: Iterable<string>): void {
    this.given = undefined;
    const summary = this.state.steps.get(step);
    this.steps = this.steps.with(step, summary?.result === undefined ? undefined : shownOf(summary));
    for (const label of labels) this.labels = this.labels.with(label, this.state.labels[label]!);
  }

  /** Returns the same object until something in it changes. */
  world(): World {
    const { execution_id, workload, ctx } = this.state;
    if (this.given?.ctx === ctx) return this.given;
    const { steps } = this;
    this.given = this.labels.isEmpty
      ? { execution_id, workload, ctx, steps, labels: {} }
      : withLabels({ execution_id, workload, ctx, steps }, this.labels);
    return this.given;
  }
}

/** Built lazily: few templates name a label, and a plan may have thousands. */
function withLabels(
  { execution_id, workload, ctx, steps }: Omit<World, 'labels'>,
  named: Bindings<Json>,
): World {
  let labels: JsonObject | undefined;
  return {
    execution_id,
    workload,
    ctx,
    steps,
    get labels() {
      labels ??= Object.fromEntries(named);
      return labels;
    },
  };
}

const places = new WeakMap<Plan, { steps: Map<string, number>; labels: Map<string, number> }>();

/** Executions of one plan have the same names. */
function placesOf(plan: Plan) {
  const known = places.get(plan) ?? { steps: new Map(), labels: new Map() };
  places.set(plan, known);
  return known;
}

function shownOf({ result, tasks }: ShownStep): ShownStep {
  return tasks === undefined ? { result: result! } : { result: result!, tasks };
}
