/**
 * What a task sees of other steps is what the log says at the lease of its job, wherever the job runs: nothing later,
 * and nothing less.
 *
 * Each simulated task reports in its result what its template read. This watch compares that with the log.
 */
import { type Event, isObject, type Json, type JsonObject, jobIdOf, type Plan, type State } from '@woof/net';

const LABELS = ['t0', 't1', 't2'];

/** What a task reads: by name, the task run that made the value, or whether there is one. */
export function readsOf({ steps }: Plan, own: readonly string[]): JsonObject {
  const names = [...steps.map(({ name }) => name), ...LABELS.filter((label) => !own.includes(label))];
  return Object.fromEntries(
    names.map((name) => [name, `{{ ${name}.of if ${name}.of is defined else ${name} is defined }}`]),
  );
}

export class SightWatch {
  /** By job: what was visible at its lease. */
  private readonly leased = new Map<string, JsonObject>();

  constructor(private readonly state: State) {}

  /** Call with each event, after it was folded. Returns what the task saw but should not have; undefined: nothing. */
  see(event: Event): string | undefined {
    const jobId = jobIdOf(event);
    if (event.name === 'job.leased') this.leased.set(jobId!, this.shown());
    if (event.name !== 'task.done') return undefined;
    const { result } = event.data.outcome;
    return isObject(result) && isObject(result.saw) ? this.differs(jobId!, result.saw) : undefined;
  }

  private differs(jobId: string, saw: JsonObject): string | undefined {
    const shown = this.leased.get(jobId)!;
    const name = Object.keys(saw).find((each) => String(saw[each]) !== String(shown[each]));
    return name && `${jobId} saw ${saw[name]} of ${name}, and its lease shows ${shown[name]}`;
  }

  private shown(): JsonObject {
    const { plan, steps, labels } = this.state;
    const results = plan.steps.map(({ name }) => [name, versionOf(steps.get(name)?.result)] as const);
    const named = LABELS.map((label) => [label, versionOf(labels[label])] as const);
    return Object.fromEntries([...results, ...named]);
  }
}

function versionOf(value: Json | undefined): Json {
  return isObject(value) && 'of' in value ? value.of! : value !== undefined;
}
