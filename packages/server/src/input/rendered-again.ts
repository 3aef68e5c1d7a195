/**
 * Renders the input of a task again, the way the worker rendered it. Secrets are replaced by a placeholder, and what the
 * log does not contain is left out and listed.
 */
import {
  type Assignment,
  asData,
  BlobError,
  type CellTask,
  define,
  hiddenKeychain,
  isReference,
  type Json,
  type JsonObject,
  ownArgs,
  RenderError,
  render,
  type Site,
  sharing,
  type Task,
  taskLocals,
  taskSite,
  type World,
} from '@woof/net';
import type { Values } from '@woof/stores';
import { type TaskStart, UNKNOWN } from './task-starts.ts';

class NotInLog extends Error {}

/** Kinds whose input contains no templates: what readers see of it. */
const LITERAL: ReadonlyMap<string, (input: JsonObject) => Json> = new Map([
  ['cell', (input) => shownCell(input as unknown as CellTask)],
  ['exec', asData],
]);

export class RenderedAgain {
  readonly notes = new Set<string>();
  private readonly host: Site['host'];

  constructor(values: Values) {
    const refuse = (what: string) => () => {
      throw new NotInLog(`it reads ${what}, which the log does not keep`);
    };
    // Nothing is stored: a reader must not fill the store.
    this.host = {
      ...values.host(refuse('the clock')),
      random: refuse('a random number'),
      store: (value) => values.putAway(value as Json),
    };
  }

  args(assignment: Assignment): JsonObject {
    try {
      return ownArgs(assignment, this.host) ?? assignment.args;
    } catch (error) {
      this.note('The args of the iteration are not known', error);
      return assignment.args;
    }
  }

  input(task: Task, start: TaskStart): Json {
    const literal = LITERAL.get(task.kind);
    if (literal) return literal(task.input);
    const { assignment, pipeline } = start;
    const locals = taskLocals(assignment, pipeline, this.args(assignment), task);
    const site = taskSite(assignment, this.hidden(start), locals, task, this.host);
    return sharing(() => this.leaves(task.input, site, ''));
  }

  private hidden({ assignment: { plan, world } }: TaskStart): World {
    const { notes } = this;
    return {
      ...world,
      get keychain() {
        notes.add(
          'Secrets are shown as "[secret]"; templates that compute with one computed with this text.',
        );
        return hiddenKeychain(plan);
      },
    };
  }

  /** As a whole if it can be rendered, otherwise part by part. */
  private leaves(value: Json, site: Site, path: string): Json {
    try {
      return render(value, site, path);
    } catch (error) {
      if (typeof value !== 'string') return this.parts(value as Json[] | JsonObject, site, path);
      this.note(`"${site.path}${path}" is not known`, error);
      return UNKNOWN;
    }
  }

  private parts(value: Json[] | JsonObject, site: Site, path: string): Json {
    if (Array.isArray(value)) return value.map((item, index) => this.leaves(item, site, `${path}/${index}`));
    const shown: JsonObject = {};
    for (const [key, item] of Object.entries(value))
      define(shown, key, this.leaves(item, site, `${path}/${key}`));
    return isReference(shown) ? asData(shown) : shown;
  }

  private note(what: string, error: unknown): void {
    const isForeseen =
      error instanceof NotInLog || error instanceof RenderError || error instanceof BlobError;
    if (!isForeseen) throw error;
    this.notes.add(`${what}: ${error.message}.`);
  }
}

/** Code is not a template; what it depends on is named. */
function shownCell({ language, body, needs, value }: CellTask): JsonObject {
  if (value !== undefined) return { language, value: asData(value) };
  return { language, code: body, deps: needs };
}
