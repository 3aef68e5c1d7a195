/** Evaluates the templates inside plain JSON. A failure names the expression, step, place in the plan and line. */
import { compile, type Host, isTemplate, leastSize, Range, type Scope, TemplateError } from '@woof/expr';
import type { Json, JsonObject } from './json.ts';
import { define, Float } from './json.ts';
import { type OutcomeError, storedError } from './outcome.ts';
import type { Plan } from './plan.ts';
import { asData, BlobError, isReference, settled } from './reference.ts';

export { sharing } from '@woof/expr';

/** Where templates are evaluated: the names, the host functions, and the place for messages. */
export interface Site {
  plan: Plan;
  scope: Scope;
  host: Host;
  /** Path in the plan, e.g. `fetch/tool/get_page`. */
  path: string;
}

export class RenderError extends Error {
  constructor(
    readonly expression: string,
    readonly path: string,
    readonly line: number,
    readonly column: number,
    message: string,
    readonly code: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }

  /** If a value could not be loaded, the error is that one, at the place that needed the value. */
  toError(): OutcomeError {
    const { expression, path, line, column, code, message } = this;
    const details = { expression, path, line, column };
    return { kind: 'template', retryable: false, code, ...storedError(this.cause), message, details };
  }
}

/** What the templates of one value have made so far, at least. */
interface Made {
  bytes: number;
}

const nothing = (): Made => ({ bytes: 0 });

export function render(value: Json, site: Site, path = '', made = nothing()): Json {
  if (typeof value === 'string') return isTemplate(value) ? evaluate(value, site, path, made) : value;
  if (value === null || typeof value !== 'object' || value instanceof Float || isConstant(value))
    return value;
  if (Array.isArray(value)) return value.map((item, index) => render(item, site, `${path}/${index}`, made));
  return renderObject(value, site, path, made);
}

/** For code that needs the value right away. */
export function renderValue(value: Json, site: Site, path: string): Json {
  const { load } = site.host;
  const rendered = render(value, site, path);
  try {
    return load ? settled(rendered, load) : rendered;
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const message = `"${value}" cannot be loaded: ${error.message} (${site.path}${path})`;
    throw new RenderError(String(value), site.path + path, 0, 0, message, 'expr/host', error);
  }
}

export function renderObject(value: JsonObject, site: Site, path = '', made = nothing()): JsonObject {
  if (isConstant(value)) return value;
  const rendered: JsonObject = {};
  for (const [key, item] of Object.entries(value))
    define(rendered, key, render(item, site, `${path}/${key}`, made));
  return isReference(rendered) ? asData(rendered) : rendered;
}

/** What a loop iterates over: a range stays a range, however long it is. */
export function renderItems(value: Json, site: Site, path: string): Json | Range {
  if (typeof value !== 'string' || !isTemplate(value)) return render(value, site, path);
  const items = attempt(value, site, path, (template) => template.evaluateItems(site.scope, site.host));
  if (!(items instanceof Range)) count(items as Json, nothing(), value, site, path);
  return items as Json | Range;
}

/** A guard: undefined is false, a missing guard is true. */
export function holds(guard: string | undefined, site: Site, path = ''): boolean {
  if (guard === undefined) return true;
  return attempt(guard, site, path, (template) => template.test(site.scope, site.host));
}

function evaluate(text: string, site: Site, path: string, made: Made): Json {
  const value = attempt(text, site, path, (template) => template.evaluate(site.scope, site.host)) as Json;
  count(value, made, text, site, path);
  return value;
}

/** V8 cannot write texts of much more than this. */
const MOST_MADE = 128 * 1024 * 1024;

/** Refuses a value that is too large before anybody writes it. */
function count(value: Json, made: Made, text: string, site: Site, path: string): void {
  made.bytes += leastSize(value);
  if (made.bytes <= MOST_MADE) return;
  const message = `this template makes a value of more than ${MOST_MADE} bytes, which is the limit`;
  const why = new BlobError('too_large', message);
  const hint = 'make less, or move the work into code';
  const whole = { source: text, start: 0, end: text.length };
  throw located(new TemplateError('expr/fuel', why.message, whole, hint, why), site, site.path + path);
}

type Compiled = NonNullable<ReturnType<typeof compile>['template']>;

function attempt<T>(text: string, site: Site, path: string, use: (template: Compiled) => T): T {
  try {
    const { template, errors } = compile(text);
    if (template === undefined) throw errors[0] ?? new Error('the template has no content');
    return use(template);
  } catch (error) {
    if (error instanceof TemplateError) throw located(error, site, site.path + path);
    throw error;
  }
}

function located(error: TemplateError, site: Site, path: string): RenderError {
  const [line, column] = site.plan.where[path] ?? [0, 0];
  const place = line > 0 ? ` (line ${line}, ${path})` : ` (${path})`;
  const hint = error.hint ? `; ${error.hint}` : '';
  const message = `${error.message}${hint}${place}`;
  return new RenderError(error.expression, path, line, column, message, error.code, error.cause);
}

const constants = new WeakMap<object, boolean>();

/**
 * True for JSON that contains no template and is used as it is. Cached, because inputs are rendered again and again.
 */
function isConstant(value: Json[] | JsonObject): boolean {
  let known = constants.get(value);
  if (known === undefined) {
    known = Object.values(value).every(
      (item) =>
        (typeof item === 'string' && !isTemplate(item)) ||
        item === null ||
        typeof item === 'boolean' ||
        typeof item === 'number' ||
        typeof item === 'bigint' ||
        item instanceof Float ||
        (typeof item === 'object' && isConstant(item)),
    );
    constants.set(value, known);
  }
  return known;
}
